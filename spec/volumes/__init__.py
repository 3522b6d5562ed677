"""Definitions that several volume plugins share: claims, matching, provisioning and CSI migration."""
