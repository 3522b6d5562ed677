"""The feature gates of kube-scheduler: `GATES`, `READ`, `QUEUE`, `NEEDS`.

Kubernetes: pkg/features/kube_features.go and the gates that it adds, of each patch level. tests/data/gates has what
adapters/kube-scheduler/gates prints of them.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from frozendict import frozendict

PATCHES = ("1.34.1", "1.34.9", "1.35.8", "1.36.4", "1.37.2")
"""The patch levels of the columns below."""

STAGES = {"A": "ALPHA", "B": "BETA", "G": "", "D": "DEPRECATED"}


class Gate(NamedTuple):
    """A feature gate of one version: its stage as Kubernetes writes it, its default, and whether it is locked to that."""

    stage: str
    on: bool
    locked: bool


_READ = """
CSIMigrationPortworx G+! G+! G+! -- --
CompositePodGroup -- -- -- -- A-
DRAAdminAccess B+ B+ B+ G+! G+!
DRAConsumableCapacity A- A- A- B+ B+
DRADerivedAttributes -- -- -- -- A-
DRADeviceBindingConditions A- A- A- B+ B+
DRADeviceCompatibilityGroups -- -- -- -- A-
DRADeviceTaintRules -- -- A- B- G+
DRADeviceTaints A- A- A- B+ G+
DRAExtendedResource A- A- A- B+ G+!
DRAFractionalCapacityRange -- -- -- -- B-
DRAListTypeAttributes -- -- -- A- A-
DRANodeAllocatableResources -- -- -- A- A-
DRAOptionalNodeOperations -- -- -- -- A-
DRAPartitionableDevices A- A- A- B+ B+
DRAPrioritizedList B+ B+ B+ G+ G+!
DRAResourceClaimDeviceStatus B+ B+ B+ B+ G+!
DRASchedulerFilterTimeout B+ B+ B+ B+ B+
DRAWorkloadResourceClaims -- -- -- A- B-
DynamicResourceAllocation G+ G+ G+! G+! G+!
GangScheduling -- -- A- A- --
GenericWorkload -- -- A- A- B-
InPlacePodLevelResourcesVerticalScaling -- -- A- B+ B+
InPlacePodVerticalScaling B+ B+ G+! G+! G+!
InPlacePodVerticalScalingSchedulerPreemption -- -- -- -- A-
InterPodAffinityHostnameFastPath -- -- -- -- A-
MatchLabelKeysInPodTopologySpread B+ B+ B+ B+ B+
NodeDeclaredFeatures -- -- A- B+ G+!
NodeInclusionPolicyInPodTopologySpread G+! G+! G+! G+! G+!
OpportunisticBatching -- -- B+ B+ B+
PodGroupPreemptionPolicy -- -- -- -- A-
PodLevelResources B+ B+ B+ B+ B+
SidecarContainers G+! G+! G+! G+! --
StorageCapacityScoring A- A- A- A- B+
TaintTolerationComparisonOperators -- -- A- A- A-
TopologyAwareWorkloadScheduling -- -- -- A- A-
VolumeAttributesClass G+ G+ G+ G+! G+!
VolumeLimitScaling -- -- A- A- B+
WorkloadAwarePreemption -- -- -- A- --
"""

_QUEUE = """
NominatedNodeNameForExpectation A- A- B+ B+ B+
SchedulerAsyncAPICalls B+ B- B- B- B-
SchedulerAsyncPreemption B+ B+ B+ B+ B+
SchedulerPopFromBackoffQ B+ B+ B+ B+ B+
SchedulerPreQueueingHints -- -- -- -- A-
SchedulerQueueingHints G+! G+! G+! G+! --
"""

_OTHERS = """
-- -- -- -- A- : APIServerWebhookAuthenticationToken AtomicWriteVolumeUserFields
  ConsistentListFromCacheSkipTimeoutFallback DRAPartitionableDevicesType DefaultPodSysctls EmptyDirVolumeMode
  EvictionRequestAPI GRPCContainerProbeTLS H2CContainerProbe InPlacePodVerticalScalingMemoryBackedVolumes
  KubeProxyNFTablesLocalhostNodePorts KubeletAllocatedPodsEndpoint NodeLifecycleConditions StatefulSetRecreateStrategy
  VolumeBindMountOptions
-- -- -- -- B+ : EtcdRangeStream ExcludeAdmissionWebhookVirtualResources HPAGeneration HPAOptimizedSelectorStore
  HugepageAwareEviction NFTablesNetlink NodeControllerLeaseCircuitBreaker PodLevelResourcesFixDefaulting
  PodLevelResourcesFixKubeletQOSClass StaleControllerConsistencyHPA WatchListCompression WebhookRoundTripLoadBalancing
-- -- -- -- D+ : KubeProxyIPVS
-- -- -- A- A- : CRIListStreaming DRAResourcePoolStatus ImageVolumeWithDigest ShardedListAndWatch WorkloadWithJob
-- -- -- A- B+ : ManifestBasedAdmissionControlConfig NativeHistograms PersistentVolumeClaimUnusedSinceTime PodsAPI
-- -- -- A- B- : PodLevelResourceManagers
-- -- -- B+ B+ : AtomicFIFO ClientsAllowCARotation ClientsAllowTLSCacheGC DRAResourceClaimGranularStatusAuthorization
  DeclarativeValidationBeta ExtendWebSocketsToKubelet ReloadKubeletClientCAFile ResourceHealthStatusMessage
  StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet
  StaleControllerConsistencyStatefulSet UnlockWhileProcessingFIFO
-- -- -- B+ G+! : InPlacePodVerticalScalingInitContainers PLEGOnDemandRelist
-- -- -- D+ D+ : ServiceCIDRStatusFieldWiping
-- -- -- G+ G+ : AllowServiceExternalIPs
-- -- A- A- A- : CloudControllerManagerWatchBasedRoutesReconciliation MutablePVNodeAffinity
  UserNamespacesHostNetworkSupport
-- -- A- B+ B+ : ConstrainedImpersonation MutablePodResourcesForSuspendedJobs
  MutableSchedulingDirectivesForSuspendedJobs RestartAllContainersOnContainerExits
-- -- B+ B+ B+ : AuthorizePodWebsocketUpgradeCreatePermission InOrderInformersBatchProcess
  StructuredAuthenticationConfigurationJWKSMetrics
-- -- B+ G+! G+! : CSIServiceAccountTokenSecrets
-- -- B- B+ B+ : CRDObservedGenerationTracking
-- -- D- D- D- : ChangeContainerStatusOnKubeletRestart
-- B+ B+ B+ B+ : StatefulSetSemanticRevisionComparison
A- A- -- -- -- : UserNamespacesPodSecurityStandards
A- A- A- -- -- : InTreePluginPortworxUnregister
A- A- A- A- A- : APIServingWithRoutine CBORServingAndStorage CPUManagerPolicyAlphaOptions CSIVolumeHealth
  ClientsAllowCBOR ClientsPreferCBOR CloudControllerManagerWebhook ContainerStopSignals CrossNamespaceVolumeDataSource
  EventedPLEG InPlacePodVerticalScalingExclusiveCPUs InPlacePodVerticalScalingExclusiveMemory LoggingAlphaOptions
  PodLogsQuerySplitStreams QOSReserved ReduceDefaultCrashLoopBackOffDecay RuntimeClassInImageCriApi StorageVersionAPI
  TopologyManagerPolicyAlphaOptions WindowsCPUAndMemoryAffinity
A- A- A- A- B+ : AllowUnsafeMalformedObjectDeletion HPAScaleToZero KubeletInUserNamespace MemoryQoS
A- A- A- A- B- : PodAndContainerStatsFromCRI
A- A- A- B+ B+ : ComponentFlagz ComponentStatusz ResourceHealthStatus StrictIPCIDRValidation
  UnknownVersionInteroperabilityProxy
A- A- A- B+ G+! : RelaxedServiceNameValidation
A- A- A- G+ G+ : CustomCPUCFSQuotaPeriod
A- A- B+ B+ B+ : ClearingNominatedNodeNameAfterBinding ContainerRestartRules DeploymentReplicaSetTerminatingReplicas
  EnvFiles KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages PodTopologyLabelsAdmission
A- A- B+ B+ G+! : HPAConfigurableTolerance HostnameOverride
A- A- B- B- B+ : MaxUnavailableStatefulSet
A- A- B- B- G+ : PodCertificateRequest StorageVersionMigrator
A- A- G+ G+ G+ : InformerResourceVersion
B+ B+ B+ B+ -- : PreventStaticPodAPIReferences
B+ B+ B+ B+ B+ : APIResponseCompression APIServerIdentity AllowParsingUserUIDFromCertAuth CPUManagerPolicyBetaOptions
  ContainerCheckpoint ContextualLogging DetectCacheInconsistency GracefulNodeShutdown
  GracefulNodeShutdownBasedOnPodPriority KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders
  ListFromCacheSnapshot LoggingBetaOptions MatchLabelKeysInPodTopologySpreadSelectorMerge OpenAPIEnums PodDeletionCost
  PortForwardWebsockets ReloadKubeletServerCertificateFile RemoteRequestHeaderUID RotateKubeletServerCertificate
  ServiceAccountNodeAudienceRestriction SizeBasedListCostEstimate StorageVersionHash
  StructuredAuthenticationConfigurationEgressSelector TokenRequestServiceAccountUIDValidation
  TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation WatchList
  WindowsGracefulNodeShutdown
B+ B+ B+ B+ G+! : PodReadyToStartContainersCondition
B+ B+ B+ D+ D+! : DisableCPUQuotaWithExclusiveCPUs
B+ B+ B+ G+! G+! : DeclarativeValidation ExternalServiceAccountTokenSigner InOrderInformers KubeletFineGrainedAuthz
  KubeletPSI KubeletPodResourcesDynamicResources KubeletPodResourcesGet ProcMountType SELinuxChangePolicy
  SELinuxMountReadWriteOncePod UserNamespacesSupport
B+ B+ G+! G+! G+! : ImageMaximumGCAge JobManagedBy PodObservedGenerationTracking PreferSameTrafficDistribution
  SupplementalGroupsPolicy SystemdWatchdog
B- B- B+ B+ B+ : WatchListClient
B- B- B+ G+! G+! : ImageVolume MutableCSINodeAllocatableCount
B- B- B- B+ G+! : WatchCacheInitializationPostStartHook
B- B- B- B- B+ : ConcurrentWatchObjectDecode
B- B- B- B- B- : CoordinatedLeaderElection LocalStorageCapacityIsolationFSQuotaMonitoring
B- B- B- B- G+ : ClusterTrustBundle ClusterTrustBundleProjection SELinuxMount
B- B- B- D- D-! : DeclarativeValidationTakeover
B- B- B- G+ G+ : MutatingAdmissionPolicy
B- B- B- G+! G+! : NodeLogQuery
D+ D+ D+ D+ D+ : KubeletPodResourcesListUseActivePods StorageNamespaceIndex
D+ D+ D+ D+! D+! : DisableNodeKubeProxyVersion
D+ D+ D+! D+! D+! : AggregatedDiscoveryRemoveBetaType
D- D- D- -- -- : InPlacePodVerticalScalingAllocatedStatus
D- D- D- D- D- : AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests KMSv1
  KubeletRegistrationGetOnExistsOnly WindowsHostNetwork
D- D- D- D-! D-! : GitRepoVolumeDriver SeparateCacheWatchRPC
D- D- D-! D-! D-! : AllowOverwriteTerminationGracePeriodSeconds
D-! D-! -- -- -- : AllowServiceLBStatusOnNonLB
D-! D-! D-! -- -- : WatchFromStorageWithoutResourceVersion
G+ G+ G+ G+! G+! : TopologyManagerPolicyOptions
G+ G+ G+! G+! G+! : DisableAllocatorDualWrite ExecProbeTimeout
G+! G+! -- -- -- : ComponentSLIs CronJobsScheduledAnnotation LoadBalancerIPMode PodIndexLabel
  ProbeHostPodSecurityStandards SizeMemoryBackedVolumes StatefulSetAutoDeletePVC StrictCostEnforcementForVAP
  StrictCostEnforcementForWebhooks
G+! G+! G+! -- -- : HonorPVReclaimPolicy MemoryManager ServiceTrafficDistribution StructuredAuthorizationConfiguration
  TopologyAwareHints
G+! G+! G+! G+! -- : APIServerTracing AnonymousAuthConfigurableEndpoints AnyVolumeDataSource
  AuthorizeNodeWithSelectors AuthorizeWithSelectors BtreeWatchCache ConsistentListFromCache JobBackoffLimitPerIndex
  JobPodReplacementPolicy JobSuccessPolicy LogarithmicScaleDown OrderedNamespaceDeletion PodLifecycleSleepAction
  PodLifecycleSleepActionAllowZero RelaxedDNSSearchValidation ResilientWatchCacheInitialization RetryGenerateName
  StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration
G+! G+! G+! G+! G+! : CPUManagerPolicyOptions CRDValidationRatcheting CustomResourceFieldSelectors
  KubeletCgroupDriverFromCRI KubeletTracing MatchLabelKeysInPodAffinity MultiCIDRServiceAllocator NFTablesProxyMode
  NodeSwap PodSchedulingReadiness RecoverVolumeExpansionFailure RecursiveReadOnlyMounts
  RelaxedEnvironmentVariableValidation SeparateTaintEvictionController ServiceAccountTokenJTI
  ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo WinDSR
  WinOverlay
"""

_NEEDS = """
AuthorizeNodeWithSelectors: AuthorizeWithSelectors
ClusterTrustBundleProjection: ClusterTrustBundle
CompositePodGroup: GenericWorkload TopologyAwareWorkloadScheduling
DRAAdminAccess: DynamicResourceAllocation
DRAConsumableCapacity: DynamicResourceAllocation
DRADerivedAttributes: DynamicResourceAllocation
DRADeviceBindingConditions: DRAResourceClaimDeviceStatus DynamicResourceAllocation
DRADeviceCompatibilityGroups: DRAPartitionableDevices DynamicResourceAllocation
DRADeviceTaintRules: DRADeviceTaints
DRADeviceTaints: DynamicResourceAllocation
DRAExtendedResource: DynamicResourceAllocation
DRAFractionalCapacityRange: DRAConsumableCapacity
DRAListTypeAttributes: DynamicResourceAllocation
DRANodeAllocatableResources: DynamicResourceAllocation
DRAOptionalNodeOperations: DynamicResourceAllocation NodeDeclaredFeatures
DRAPartitionableDevices: DynamicResourceAllocation
DRAPartitionableDevicesType: DRAPartitionableDevices DRAResourcePoolStatus DynamicResourceAllocation
DRAPrioritizedList: DynamicResourceAllocation
DRAResourceClaimGranularStatusAuthorization: DRAResourceClaimDeviceStatus DynamicResourceAllocation
DRAResourcePoolStatus: DynamicResourceAllocation
DRASchedulerFilterTimeout: DynamicResourceAllocation
DRAWorkloadResourceClaims: DynamicResourceAllocation GenericWorkload
DeclarativeValidationBeta: DeclarativeValidation
DeclarativeValidationTakeover: DeclarativeValidation
DisableAllocatorDualWrite: MultiCIDRServiceAllocator
EventedPLEG: PLEGOnDemandRelist@1.37.2
ExtendWebSocketsToKubelet: NodeDeclaredFeatures
GangScheduling: GenericWorkload
GracefulNodeShutdownBasedOnPodPriority: GracefulNodeShutdown
H2CContainerProbe: NodeDeclaredFeatures
ImageVolumeWithDigest: ImageVolume
InPlacePodLevelResourcesVerticalScaling: InPlacePodVerticalScaling NodeDeclaredFeatures PodLevelResources
InPlacePodVerticalScalingAllocatedStatus: InPlacePodVerticalScaling
InPlacePodVerticalScalingExclusiveCPUs: InPlacePodVerticalScaling
InPlacePodVerticalScalingExclusiveMemory: InPlacePodVerticalScaling MemoryManager
InPlacePodVerticalScalingInitContainers: InPlacePodVerticalScaling NodeDeclaredFeatures
InPlacePodVerticalScalingMemoryBackedVolumes: InPlacePodVerticalScaling NodeDeclaredFeatures
InPlacePodVerticalScalingSchedulerPreemption: InPlacePodVerticalScaling
KubeletAllocatedPodsEndpoint: InPlacePodVerticalScaling
MatchLabelKeysInPodTopologySpreadSelectorMerge: MatchLabelKeysInPodTopologySpread
NodeControllerLeaseCircuitBreaker: AtomicFIFO
PodCertificateRequest: AuthorizeNodeWithSelectors
PodGroupPreemptionPolicy: GenericWorkload
PodLevelResourceManagers: PodLevelResources
PodLevelResourcesFixDefaulting: PodLevelResources
PodLevelResourcesFixKubeletQOSClass: PodLevelResources
PodLifecycleSleepActionAllowZero: PodLifecycleSleepAction
ProcMountType: UserNamespacesSupport
ResourceHealthStatus: DynamicResourceAllocation
ResourceHealthStatusMessage: ResourceHealthStatus
RestartAllContainersOnContainerExits: ContainerRestartRules NodeDeclaredFeatures
ServiceAccountTokenNodeBinding: ServiceAccountTokenNodeBindingValidation
StaleControllerConsistencyDaemonSet: AtomicFIFO
StaleControllerConsistencyHPA: AtomicFIFO
StaleControllerConsistencyJob: AtomicFIFO
StaleControllerConsistencyReplicaSet: AtomicFIFO
StaleControllerConsistencyStatefulSet: AtomicFIFO
StorageVersionAPI: APIServerIdentity
StructuredAuthenticationConfigurationEgressSelector: StructuredAuthenticationConfiguration
StructuredAuthenticationConfigurationJWKSMetrics: StructuredAuthenticationConfiguration
TopologyAwareWorkloadScheduling: GenericWorkload
UnknownVersionInteroperabilityProxy: APIServerIdentity
UserNamespacesHostNetworkSupport: UserNamespacesSupport NodeDeclaredFeatures@1.36.4
WindowsCPUAndMemoryAffinity: MemoryManager
WindowsGracefulNodeShutdown: GracefulNodeShutdown
WorkloadAwarePreemption: GangScheduling
WorkloadWithJob: GenericWorkload
"""


def _grouped(text: str) -> Iterator[list[str]]:
    """Yield each gate of a table of groups, with its codes."""
    for line in text.strip().replace("\n  ", " ").splitlines():
        codes, _, names = line.partition(":")
        yield from ([name, *codes.split()] for name in names.split())


def _gate(codes: list[str]) -> Mapping[str, Gate]:
    """Return a gate by patch level from codes such as B+ (beta, on by default), G+! (locked) and -- (absent)."""
    given = zip(PATCHES, codes, strict=True)
    return frozendict(
        {patch: Gate(STAGES[code[0]], code[1] == "+", code.endswith("!")) for patch, code in given if code != "--"}
    )


_GATES = (*map(str.split, _READ.strip().splitlines()), *map(str.split, _QUEUE.strip().splitlines()), *_grouped(_OTHERS))

GATES: Mapping[str, Mapping[str, Gate]] = frozendict({name: _gate(codes) for name, *codes in _GATES})
"""Every feature gate that the component knows in some version, by patch level."""

READ = frozenset(line.split()[0] for line in _READ.strip().splitlines())
"""The gates that a decision may depend on."""

QUEUE = frozenset(line.split()[0] for line in _QUEUE.strip().splitlines())
"""The gates that change when a pod is tried or how a result is written, and no decision."""


NEEDS: Mapping[str, tuple[str, ...]] = frozendict(
    {
        name.strip(): tuple(gates.split())
        for name, _, gates in (line.partition(":") for line in _NEEDS.strip().splitlines())
    }
)
"""The gates that a gate needs, as far as a version knows them; `@` names the version since when."""


def needs(name: str, patch: str) -> tuple[str, ...]:
    """Return the gates without which a gate cannot be on in a version; none before 1.35."""
    if PATCHES.index(patch) < PATCHES.index("1.35.8"):
        return ()
    found = (each.partition("@") for each in NEEDS.get(name, ()))
    return tuple(
        gate for gate, _, since in found
        if patch in GATES[gate] and PATCHES.index(patch) >= PATCHES.index(since or patch)
    )  # fmt: skip
