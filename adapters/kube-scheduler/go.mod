module schedcheck.example/kube-scheduler

go 1.24.0
