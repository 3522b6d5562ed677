"""A cluster in simulated real time: the production scheduler, controllers, kubelets and a timeline of events."""
