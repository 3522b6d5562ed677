"""What pods with volumes go by: claims, disks in the tree and their drivers, what is assumed, what a claim may take."""
