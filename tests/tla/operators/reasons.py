"""Operators of tla/ without a Python function of their own, and what is compared instead: `REASONS`"""

STEPS = "an action: compared step by step by tests/tla/operators/test_steps.py"
EARLY = "of the early scheduler: compared within its steps by tests/tla/operators/test_steps.py, and broken in turn"
GRAPH = "of the graph of a production scheduler, which TLC explores: tests/tla/production_refinement.py"
PART = "a part of an action: compared within it by tests/tla/operators/test_steps.py"
WHOLE_STEPS = "of two states: TLC judges every step of production by it, tests/tla/production_refinement.py"

ASKED = "asked of every decision of small scenarios, in every system: tests/tla/test_verdicts.py"

EXTENDED = "of extenders that are tables: compared within ExtendedDecisions, tests/tla/operators/extenders.py"
EARLY_EXTENDED = "the same: compared within EarlyExtendedDecisions, tests/tla/operators/early_extenders.py"

CLAIMS = "of resource claims: compared by tests/tla/test_devices.py, on snapshots that have some, and broken in turn"

AMOUNTS = "of capacities and counters: compared within the allocations that are possible by tests/tla/test_devices.py"

SHUTDOWNS = "of a shutdown: compared within its steps by tests/tla/test_shutdowns.py, and broken in turn"

POOLED = "of simulated snapshots: compared within ChangesOfNodes, Growths and RemovalsFrom, tests/tla/operators/node_pools.py"

POOL_STEPS = "of a cluster autoscaler: compared within its steps by tests/tla/test_node_pools.py, and broken in turn"

JOB_STEPS = "of Jobs: compared within the steps of the system by tests/tla/test_jobs.py, and broken in turn"

ROLLOUT_STEPS = "of rollouts: compared within the steps of the system by tests/tla/test_rollouts.py, and broken in turn"

ROLLOUT_PARTS = (
    "a part of a controller: compared within ToCreateByOrdinal, ToDeleteByOrdinal, ToCreateByHost and ToDeleteByHost"
)

INSTANCES = "of instances of steps: counted with those of the machine by tests/tla/test_temporal.py, and broken in turn"

KARPENTER = "a part of Karpenter's simulation: compared within Solutions, TakenByHost, Updated and OutcomesBeside"

KARPENTER_NAMES = "a name or a set of names: compared within TypeRequirements, TemplateRequirements and InitializedNode"

KARPENTER_STEPS = "of Karpenter: compared within its steps by tests/tla/test_karpenter.py, and broken in turn"

GROUP_ASKED = (
    "asked of every decision of small scenarios: tests/tla/test_pod_groups.py, tests/tla/test_group_preemption.py"
)

GROUP_PARTS = "a part of another operator of PodGroups: compared within FoundInTurn, ResumedRefusals, EndsInOrder and PodGroupDecisions"

GROUP_STEPS = "of PodGroups: compared within its steps by tests/tla/test_group_preemption.py, and broken in turn"

DESCHEDULED = (
    "of a descheduler: compared within WaysOfCycle and the works of each plugin, tests/tla/operators/descheduler.py"
)

DESCHEDULER_STEPS = "of a descheduler: compared within its steps by tests/tla/test_deschedulers.py, and broken in turn"

REASONS = {
    **dict.fromkeys(
        (
            "AfterDecision", "AllNodes", "AllPodsBound", "AsInstance", "AsLaunched", "AsPodGroupInstance", "ChangeAs", "ChangesOfSeveral", "CompaniesOf", "DecisionOfPodGroup", "DecisionsFor", "GroupFellows", "PodGroupInstances", "PodGroupTaken", "PodGroupVariables", "UnitPriority", "VictimsFor", "ClassicInstances", "ClassicTaken", "ClassicVariables", "DecisionOf", "DecisionsAmong", "DescheduledInstances", "DescheduledTaken", "DescheduledVariables", "FairDecisionOf", "FairInstances", "FairTaken", "FairVariables", "GoingNodes", "IsTimely", "JobInstances", "JobTaken", "JobVariables", "KeysOf", "KindOf", "KubeInstances", "KubeTaken", "KubeVariables", "LaunchableNodes", "LaunchableSets", "LaunchedNames", "LowerThan", "NamesFrom", "NamesOfAll", "NamesOfNodes", "NamesOfPlugins", "NamesOfPools", "NodeNames", "NominatingInstances", "OfObjects", "OnItsNode", "OpenChoices", "OpenLabels", "PodFeasible", "PodWaits", "PooledInstances", "PooledTaken", "PooledVariables", "ProvisionedInstances", "ProvisionedTaken", "ProvisionedVariables", "MostReplicas", "Rejected", "RolloutInstances", "RolloutTaken", "RolloutVariables", "ScaleInstances", "ShutdownInstances", "ShutdownTaken", "ShutdownVariables", "StepOfAutoscaler", "StepOfDescheduler", "StepOfDrain", "StepOfForms", "StepOfJob", "StepOfKubelet", "StepOfOneNode", "StepOfScales", "StepOfSeveral", "StepOfShutdown", "StepOfVictim", "StepsOfBudgets", "StepsOfNodes", "StepsOfPods", "StepsOfVictims", "UpkeepInstances", "UpkeepOf", "WaitingAs",
        ),
        INSTANCES,
    ),
    **dict.fromkeys(
        (
            "Acceptable", "AmountAllowed", "Consumed", "ConsumedBefore", "CoveredBy", "Drawing", "DrawnBy", "EveryDevice", "HeldResults", "NoPolicy", "ResultOf", "SharesIn", "UsesBy", "WholeAt",
        ),
        AMOUNTS,
    ),
    **dict.fromkeys(
        (
            "BindFeasible", "NominatedTo", "BindMostViable", "HighestPriorityFirst", "NeverMoved", "CompletedLeftAlone",
            "NoWaitWhileFeasible", "OnlyLowerPriorityEvicted", "NoEvictionWhileFeasible", "PreemptionHasVictims",
            "VictimsMakeRoom", "VictimsNeeded", "PreemptionPolicyRespected", "NoEviction", "WaitsFor", "RoomKept",
            "Awaited", "AntiAffinityKept", "LeastCasualty", "StaysOn", "NodesBounded", "Standing", "NeverBelow", "NeverAbove", "StandingAround", "SkewKept", "Has", "Reads", "StillUsable", "EvictedAround",
            "NeverEvicted", "BudgetKept", "AsDecided", "Decisions", "EveryDecision", "Evictions", "KubeAdmits",
            "KubeRates", "EveryKubeDecision", "KubeVictims", "EvictedForNominatedPod", "KubeEvictions", "EarlyRates",
            "EveryEarlyDecision", "EarlyEvictions",
        ),
        ASKED,
    ),
    **dict.fromkeys(
        ("ClassOf", "Unnamed", "HowMany", "Crew", "Orbit"),
        "of symmetry: counts are compared with those of check, tests/tla/test_symmetry.py",
    ),
    **dict.fromkeys(
        (
            "AnswerOf", "Surviving", "OwnKept", "AllKept", "ExtendedRefusal", "Refuses", "AskedAboutVictims", "OfferedOn",
            "OffersBy", "Offers", "ExtendedIneligible", "ExtendedPostFiltered", "ExtendedPostFilter", "LeastOf", "ExtendedWithoutANode",
            "ExtendedScheduler",
        ),
        EXTENDED,
    ),
    **dict.fromkeys(
        (
            "HighestOf", "EarlyOffered", "EarlyPotential", "EarlyOffers", "EarlyHarm", "EarlyLeast",
            "EarlyExtendedWithoutANode", "EarlyExtendedScheduler",
        ),
        EARLY_EXTENDED,
    ),
    **dict.fromkeys(
        (
            "PodClaims", "PodUid", "ResourceClaims", "NamedClaims", "Unusable", "WaitsForClaims", "ClaimsOf",
            "Unallocated", "ReservedBy", "MayBeDeallocated", "Available", "ResourceSlices", "SliceAt", "OffersOf", "Relevant",
            "NewestOf", "PoolOf", "PoolsOf", "MostResults", "DeviceTolerated", "DeviceUntainted",
            "SlotsFrom", "SituationOf", "Selectable", "Admitted", "AskingAt", "PartAt", "DevicesAt", "Separate",
            "Covered", "Agreeing", "ConstraintsHold", "SmallEnough", "Consistent", "Picks", "Servings", "ChoicesFrom",
            "Choices", "CountOf", "Fails", "Allocations", "Places", "Sooner", "FirstChoice", "ResultsFrom",
            "UsableOn", "AllocatedBy", "DeviceClasses", "DynamicResourcesSkipped", "DynamicResourcesRejection",
            "AllocationRefusal", "WaitingRefusal", "DynamicResourcesRefusal", "MostAlternatives", "Earliness",
            "ClaimsRated", "DynamicResourcesScore", "BoundClaims", "Deallocated", "ReleasedClaim", "Released",
            "CapacitiesSuffice", "Consumption", "CountersSuffice", "LargeEnough", "Miscounted", "Several", "SharedDevices", "WholeAt",
            "ChangedClaims", "Deallocatable", "FreedBy", "ClaimsAfter", "WithDevices", "ClaimingUids", "DeviceAdmits",
            "DeviceRates", "EveryDeviceDecision", "DeviceDecision", "DeviceInit", "DeviceNext", "DeviceSpec",
        ),
        CLAIMS,
    ),
    **dict.fromkeys(
        (
            "ShutDown", "BecomesFailed", "Kill", "Reject", "ReportShutdown", "Expire", "PowerOff", "ReplaceFailed",
            "Undisturbed", "ShutdownInit", "ShutdownNext", "ShutdownSpec",
        ),
        SHUTDOWNS,
    ),
    **dict.fromkeys(
        (
            "RolloutNow", "ScalesOf", "ScalesNow", "TimedOf", "TimersOf", "FormsToCreate", "PodsToRemove", "CreateForm",
            "RemovePod", "ScaleSets", "ApplyManifest", "BecomeAvailable", "TimedAfter", "LacksReplica", "LeftToRollouts",
            "RolloutCompletes", "RolloutInit", "RolloutNext", "RolloutSpec",
        ),
        ROLLOUT_STEPS,
    ),
    **dict.fromkeys(
        (
            "InItsPlace", "StandsAt", "AwaitedOrdinals", "WantedHosts", "FormOn", "PodsOnHost", "FirstByName", "Stands",
            "AbsentHosts", "OutdatedHosts", "SurgedHosts", "ReplaceablePods", "SucceededHosts",
        ),
        ROLLOUT_PARTS,
    ),
    **dict.fromkeys(
        (
            "TalliesAfter", "LeftToJob", "LeftToJobs", "CreateOfJob", "RemoveOfJob", "Crash", "JobNeverFails", "JobSettles",
            "JobInit", "JobNext", "JobSpec",
        ),
        JOB_STEPS,
    ),
    **dict.fromkeys(
        (
            "FactsOf", "Onto", "OneOfEach", "MovedOnto", "Moves", "Packed", "Again", "Packings", "AnyOf", "WithTrial",
            "WithPod", "OnFurtherNodes", "OnNewNodes", "SizeOf", "Binned", "NumbersOf", "CountedOn", "LittleUsed",
            "Judged", "FoundAfter", "DrainTaint",
        ),
        POOLED,
    ),
    **dict.fromkeys(
        (
            "AddNodesOrScaleDown", "RemoveNode", "Stays", "GiveUp", "EvictForScaleDown", "PooledEvictions", "PooledInit",
            "PooledNext", "PooledSpec",
        ),
        POOL_STEPS,
    ),
    **dict.fromkeys(
        (
            "AlsoIn", "ApartRule", "ByPods", "CandidateOf", "Cheaper", "CommandFor", "DisruptionsBy", "Fewest", "FirstOf", "InAnyTurn",
            "InOrder", "InOrderOfPods", "InTurn", "LaunchedSets", "LaunchesOf", "NarrowedBy", "OfferedLabels", "OnClaim", "OnHost",
            "OnNewClaim", "OneOf", "OrdersOf", "PlacementOf", "Placing", "Plus", "SameEffect", "Searched", "SoftlyTainted", "Solving",
            "SpreadRule", "TakenByClaim", "TheOnly", "ToleratesDisruption", "Unplaced", "WithAll", "WithAllForbidding",
            "WithForbidding", "WithHosts",
        ),
        KARPENTER,
    ),
    **dict.fromkeys(
        (
            "AnyValue", "CapacityType", "Definable", "DisruptedTaint", "Ephemeral", "EveryPool", "Initialized", "InstanceType",
            "NoExecution", "NoScheduling", "NoValue", "PoolKey", "ProviderLabels", "Registered", "ToleratesSoftTaints", "Unavailable",
            "UnregisteredTaint", "WellKnown", "Zone",
        ),
        KARPENTER_NAMES,
    ),
    **dict.fromkeys(
        (
            "EvictForDisruption", "Initialize", "MarkingDecision", "ProvisionOrDisrupt", "ProvisionedEvictions", "ProvisionedInit",
            "ProvisionedNext", "ProvisionedSpec", "TerminateNode",
        ),
        KARPENTER_STEPS,
    ),
    **dict.fromkeys(
        (
            "AgedPods", "AgeingWork", "Anew", "Arranged", "Ascending", "AvailableOn", "BalancedFrom",
            "BudgetsAllowIn", "ByRestarts", "ByUsage", "ChoosesNodes", "ConstraintsSeen", "DueOf", "DuplicatesPlan",
            "DuplicatesSeen", "Empties", "Evictables", "FactsSeen", "GroupOfPlans", "GroupOfPods", "IsRelief",
            "KeptWork", "LessAmounts", "LessRoom", "Levelling", "LimitOf", "ListedWork", "LittleUsedBy",
            "MisplacedPods", "MovesOver", "MuchUsedBy", "NamesOneOf", "NextOfWork", "NoMove", "Nobody",
            "NodeByNode", "NodesOf", "OnNode", "OnePlan", "OnePod", "OwnersOf", "PairSum", "RankOf",
            "RelievingWork", "RequestsOf", "RestartedPods", "RoomOver", "SelectedBy", "SettingOf", "SpreadPods",
            "StillOpen", "TaintNames", "TaintedPods", "TakenFrom", "UnionsOf", "UnionsOver", "Upwards",
            "VisitingWork", "WaysFrom", "WaysOfNumber", "WaysOfRun", "WeightOf", "WithIdentity", "WorksOf",
            "WouldChange",
        ),
        DESCHEDULED,
    ),
    **dict.fromkeys(
        (
            "Afterwards", "BegunCycles", "Deschedule", "DescheduledEvictions", "DescheduledInit", "DescheduledNewlyArrived",
            "DescheduledNext", "DescheduledSpec", "DueNext", "EvictDescheduled", "PassOver", "PodInTurn",
            "WithoutRestarts",
        ),
        DESCHEDULER_STEPS,
    ),
    **dict.fromkeys(
        (
            "PodGroupAllOrNothing", "PodGroupBindFeasible", "PodGroupNoEvictionWhileFeasible", "PodGroupNoWaitWhileFeasible",
            "PodGroupVictimsMakeRoom", "PodGroupVictimsNeeded", "EveryPodGroupDecision",
        ),
        GROUP_ASKED,
    ),
    **dict.fromkeys(
        (
            "AsListed", "DecidedFor", "GroupWaits", "Popped", "Prefers", "ResumedCounts", "ResumedSpreadRefusal",
            "SeenInGroup", "WithTermsOf", "WithoutGroup",
        ),
        GROUP_PARTS,
    ),
    **dict.fromkeys(("PodGroupDecision", "PodGroupInit", "PodGroupNext", "PodGroupSpec"), GROUP_STEPS),
    "EachContainer": "of an operator: compared within AsAllocated, AsActual, EachAsItRuns and Defaulted",
    "InAnyOrder": "CHOOSE leaves open which order it is; OthersTerms is asked where there is one order",
    **dict.fromkeys(("Scheduling", "Preemption", "Decision", "Scheduler", "KubeScheduler"), STEPS),
    **dict.fromkeys(("Init", "Next", "Spec", "Beginning", "Event", "Happening", "ByItself", "Upkeep"), STEPS),
    **dict.fromkeys(("KubeInit", "KubeNext", "KubeSpec"), STEPS),
    **dict.fromkeys(("AtMostPresent", "AtMostUnbound", "AtMostBound"), STEPS),
    **dict.fromkeys(
        (
            "Befalls", "GuardHolds", "Counters", "Spent", "Becomes", "KubeletRuns", "Deleted", "KeptByItsJob", "Ended", "Missing", "Arrive", "Complete",
            "Delete", "Protecting", "BudgetsAllow", "StartsLater", "MayBeEvicted", "EvictedByApi", "Evict", "Fail", "Return", "Cordon", "Uncordon", "AddTaint", "RemoveTaint",
            "Labelled", "Relabelled", "Label", "Says", "Unready", "Unreachable", "Ready",
            "Recreating", "NotReady", "NotReached", "Create", "Recount", "Conditioned", "TaintByCondition", "Bears",
            "TaintEvict", "Start", "End", "Replacing", "Replace", "OutOfService", "IsOutOfService", "Collectable", "Collect",
            "NoPod", "KubeNewlyArrived", "Evictable", "DueEvictions", "EvictVictim", "Terminate", "KubeDecision",
        ),
        PART,
    ),
    **dict.fromkeys(
        (
            "Room", "AlwaysCompared", "EarlyRequested", "EarlyUsed", "EarlyNamed", "WantsNothing",
            "PodFitsResources", "HostName", "EarlyPorts", "PodFitsHostPorts", "MatchNodeSelector",
            "PodToleratesNodeTaints", "Reports", "BestEffort", "CheckNodeMemoryPressure", "CheckNodePressure",
            "CheckNodeCondition", "EarlyConcerns", "EarlyMatchesAll", "SharesDomain", "OnNodes", "InCompany",
            "EarlyFirstOfItsGroup", "EarlyAffine", "EarlyApart", "EarlyWelcome", "Changeable", "Unchangeable",
            "EarlyPasses", "EarlyFeasible", "Tenths", "Nonzero", "NonzeroRequested", "Unused",
            "LeastRequestedPriority", "EarlyBalance", "BalancedResourceAllocation", "EarlyWeight",
            "NodeAffinityPriority", "EmptySelector", "SelectorsOf", "AlikeOn", "ZoneOf", "Emptiness",
            "SelectorSpreadPriority", "EarlyScore", "EarlyBest", "EarlyJeopardy", "Worthwhile", "ViolatesOne",
            "NotPutBack", "EarlyCandidates", "EarlyDamage", "EarlyPermitted", "EarlyTurn",
            "EarlyNominated", "WithNominated", "PassesAlone", "EarlyEligible", "EarlyWithoutANode", "EarlyDecisions",
            "EarlyAfter", "EarlyDecision", "ClassicInit", "ClassicNext", "ClassicSpec",
        ),
        EARLY,
    ),
    **dict.fromkeys(("Follows", "Decide"), WHOLE_STEPS),
    **dict.fromkeys(
        (
            "variables", "Mapped", "GraphInit", "Taken", "GraphNext", "Names", "TakenBy", "Fair", "GraphSpec",
            "NotTheSchedulers", "Allowed", "Refines", "DueImages", "Progresses",
        ),
        GRAPH,
    ),
}  # fmt: skip
"""The reason for each operator."""

CONSTANT = frozenset(
    {
        "NoLabels", "NoAffinity", "CordonTaint", "LowestPriority", "Phases", "NoAmounts", "Everything", "Unprepared",
        "Highest", "Million", "Hostname", "SystemDefaults", "ScorePlugins",
    }
)  # fmt: skip
"""Operators with a single value."""
