"""Volumes of pods: claims, matching, assumed volumes, inline disks, and the migration of plugins to CSI drivers."""
