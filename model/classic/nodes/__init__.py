"""What is known of pods and nodes: `pod_info`, `node_info` with running sums, `cache` and its snapshot, `nominated`."""
