"""The priorities, a file each: how much each of some nodes is preferred, from 0 to 10."""
