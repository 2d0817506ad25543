import type { CatalogueEntry, Condition, Measure } from './catalogue-entry.ts'

/** The same thing under several names, the best first. */
const of = (...names: string[]): Measure[] => [{ names }]
/** Only some of its series. */
const some = (where: Condition[], ...names: string[]): Measure[] => [{ names, where }]
/** What it gains in a second. */
const rate = (...names: string[]): Measure[] => [{ names, rate: true }]
const rateOfSome = (where: Condition[], ...names: string[]): Measure[] => [{ names, where, rate: true }]

const is = (keys: string[], ...values: string[]): Condition[] => [{ keys, is: values }]
const not = (keys: string[], ...values: string[]): Condition[] => [{ keys, not: values }]

const POOL = ['db.client.connection.pool.name', 'db.client.connections.pool.name', 'pool.name', 'pool']
const DATABASE = ['db.namespace', 'db.name', 'db.instance', 'server.address']
const MOUNT = ['system.filesystem.mountpoint', 'mountpoint', 'path', 'system.device', 'device']
const VOLUME = ['k8s.persistentvolumeclaim.name', 'persistentvolumeclaim', 'k8s.volume.name']
const CONTAINER = ['k8s.container.name', 'container.name', 'container']
const TOPIC = ['messaging.destination.name', 'topic']
const GROUP = ['messaging.consumer.group.name', 'messaging.kafka.consumer.group', 'group', 'consumergroup']
const BROKER_QUEUE = ['rabbitmq.queue.name', 'messaging.destination.name', 'queue']
const JVM_POOL = ['jvm.memory.pool.name', 'pool', 'id']
const CPU_NUMBER = ['cpu.logical_number', 'system.cpu.logical_number', 'cpu']

const POOL_STATE = ['db.client.connection.state', 'db.client.connections.state', 'state']
const CPU_MODE = ['cpu.mode', 'system.cpu.state', 'process.cpu.state', 'container.cpu.state', 'state', 'mode']
const JVM_TYPE = ['jvm.memory.type', 'type', 'area']
const IN_USE = is(POOL_STATE, 'used')
const IDLE = is(POOL_STATE, 'idle')
const BUSY = not(CPU_MODE, 'idle', 'wait', 'iowait')
const HEAP = is(JVM_TYPE, 'heap', '')
const NON_HEAP = is(JVM_TYPE, 'non_heap', 'nonheap')
const MEMORY_USED = is(['system.memory.state', 'state'], 'used')
/** Images, and what nobody may write to, are full by nature. */
const WRITABLE = [
  ...not(['system.filesystem.type', 'type', 'fstype'], 'squashfs', 'iso9660', 'erofs', 'cramfs', 'udf', 'autofs'),
  ...not(['system.filesystem.mode', 'mode'], 'ro'),
]
const DISK_USED = [...is(['system.filesystem.state', 'state'], 'used'), ...WRITABLE]
/** V8 tells the size of each space, which it lets grow: no limit. Only the whole heap has one. */
const WHOLE_HEAP = is(['v8js.heap.space.name', 'heap.space.name'], '')
/** Those that nobody takes yet. Where the state is not told, all of them. */
const READY = is(['state', 'message.state'], 'ready', '')

const CONTAINER_CPU_LIMIT = of(
  'k8s.container.cpu.limit.current',
  'k8s.container.cpu.limit',
  'k8s.container.cpu_limit',
  'container.cpu.limit',
)
const CONTAINER_MEMORY_LIMIT = of(
  'k8s.container.memory.limit.current',
  'k8s.container.memory.limit',
  'k8s.container.memory_limit',
  'container.memory.usage.limit',
  'container.memory.limit',
  'container_spec_memory_limit_bytes',
)

/**
 * Every metric that tells of pressure, with what it is compared with: the OpenTelemetry semantic conventions under their
 * current and former names, and what libraries and exporters in wide use send beside them. Names with underscores, and with
 * the unit at their end, are understood too (`metric-index.ts`).
 */
export const CATALOGUE: readonly CatalogueEntry[] = [
  // Connection pools.
  {
    type: 'connection_pool',
    resource: 'connection pool',
    namedBy: POOL,
    used: some(IN_USE, 'db.client.connection.count', 'db.client.connections.usage'),
    idle: some(IDLE, 'db.client.connection.count', 'db.client.connections.usage'),
    limit: of('db.client.connection.limit', 'db.client.connection.max', 'db.client.connections.max'),
    pending: of('db.client.connection.pending_requests', 'db.client.connections.pending_requests'),
    backlogMin: 5,
  },
  {
    type: 'connection_pool',
    resource: 'connection pool',
    namedBy: ['pool', 'name'],
    used: of('hikaricp.connections.active'),
    limit: of('hikaricp.connections.max'),
    pending: of('hikaricp.connections.pending'),
  },
  {
    type: 'connection_pool',
    resource: 'connection pool',
    namedBy: ['name'],
    used: of('jdbc.connections.active', 'r2dbc.pool.acquired'),
    limit: of('jdbc.connections.max', 'r2dbc.pool.max.allocated'),
    pending: of('r2dbc.pool.pending'),
  },
  {
    type: 'connection_pool',
    resource: 'connection pool',
    namedBy: [...POOL, 'db_name', ...DATABASE],
    used: [
      ...some(is(['status'], 'inuse'), 'db.sql.connection.open'),
      ...of('go.sql.connections_in_use', 'go_sql_in_use_connections', 'go_sql_stats_connections_in_use'),
      ...of('pgxpool.acquired_connections', 'pgxpool.acquired_conns'),
    ],
    limit: [
      ...of('db.sql.connection.max_open', 'go.sql.connections_max_open'),
      ...of('go_sql_max_open_connections', 'go_sql_stats_connections_max_open'),
      ...of('pgxpool.max_connections', 'pgxpool.max_conns'),
    ],
  },
  {
    type: 'connection_pool',
    resource: 'connection pool',
    namedBy: ['server.address', 'cluster.id'],
    used: of('mongodb.driver.pool.checkedout'),
    pending: of('mongodb.driver.pool.waitqueuesize'),
    backlogMin: 5,
  },
  {
    type: 'connection_pool',
    resource: 'server connections',
    used: of('postgresql.backends'),
    limit: of('postgresql.connection.max'),
  },

  // Thread pools.
  {
    type: 'thread_pool',
    resource: 'executor',
    namedBy: ['jvm.executor.name', 'jvm.executor.owner.name'],
    used: some(is(['jvm.executor.thread.state'], 'active'), 'jvm.executor.thread.count'),
    limit: of('jvm.executor.thread.limit'),
    pending: of('jvm.executor.queue.size'),
    backlogMin: 20,
  },
  {
    type: 'thread_pool',
    resource: 'executor',
    namedBy: ['name'],
    used: of('executor.active'),
    limit: of('executor.pool.max'),
    pending: of('executor.queued'),
    backlogMin: 20,
  },
  {
    type: 'thread_pool',
    resource: 'server threads',
    namedBy: ['tomcat.thread.pool.name', 'tomcat.thread_pool.name', 'jetty.thread.pool.id', 'name'],
    used: of('tomcat.thread.busy.count', 'tomcat.threads.busy', 'jetty.thread.busy.count', 'jetty.threads.busy'),
    limit: [
      ...of('tomcat.thread.limit', 'tomcat.thread.max', 'tomcat.threads.config.max'),
      ...of('jetty.thread.limit', 'jetty.threads.config.max'),
    ],
    pending: of('jetty.thread.queue.size', 'jetty.threads.jobs'),
  },
  {
    type: 'thread_pool',
    resource: 'thread pool',
    used: of('dotnet.thread_pool.thread.count', 'process.runtime.dotnet.thread_pool.threads.count'),
    pending: of('dotnet.thread_pool.queue.length', 'process.runtime.dotnet.thread_pool.queue.length'),
    backlogMin: 20,
  },

  // Event loops. One that is 0.2 s late at its 99th percentile has no room left, whatever it is busy with.
  {
    type: 'event_loop',
    resource: 'event loop',
    share: of('nodejs.eventloop.utilization', 'nodejs.event_loop.utilization'),
  },
  {
    type: 'event_loop',
    resource: 'event loop',
    used: rateOfSome(is(['nodejs.eventloop.state'], 'active'), 'nodejs.eventloop.time'),
    limit: rate('nodejs.eventloop.time'),
  },
  {
    type: 'event_loop',
    resource: 'event loop',
    used: of('nodejs.eventloop.delay.p99', 'nodejs.event_loop.delay.p99', 'nodejs_eventloop_lag_p99_seconds'),
    fullAt: 0.2,
  },

  // Queues.
  {
    type: 'queue',
    resource: 'executor queue',
    namedBy: ['jvm.executor.name', 'jvm.executor.owner.name'],
    used: of('jvm.executor.queue.size'),
    limit: of('jvm.executor.queue.capacity'),
    pending: of('jvm.executor.queue.size'),
  },
  {
    type: 'queue',
    resource: 'executor queue',
    namedBy: ['name'],
    used: of('executor.queued'),
    free: of('executor.queue.remaining'),
    pending: of('executor.queued'),
  },
  {
    type: 'queue',
    resource: 'kafka',
    namedBy: TOPIC,
    with: GROUP,
    pending: [
      ...of('kafka.consumer.records_lag', 'kafka.consumer.fetch.manager.records.lag', 'messaging.kafka.consumer.lag'),
      ...of('kafka.consumer.records_lag_max', 'kafka.consumer.records-lag-max'),
      ...of('kafka.consumer.fetch.manager.records.lag.max'),
    ],
    backlogMin: 100,
  },
  {
    type: 'queue',
    resource: 'kafka',
    namedBy: TOPIC,
    with: GROUP,
    pending: [
      ...of('kafka.consumer_group.lag_sum', 'kafka.consumer_group.lag'),
      ...of('kafka_consumergroup_lag', 'kafka_consumergroup_group_lag'),
    ],
    backlogMin: 100,
  },
  {
    type: 'queue',
    resource: 'kafka replicas',
    pending: of('kafka.max.lag', 'messaging.kafka.max.lag'),
    backlogMin: 100,
  },
  {
    type: 'queue',
    resource: 'rabbitmq',
    namedBy: BROKER_QUEUE,
    pending: [
      ...some(READY, 'rabbitmq.message.current'),
      ...of('rabbitmq_queue_messages_ready', 'rabbitmq_queue_messages'),
    ],
    backlogMin: 100,
  },
  {
    type: 'queue',
    resource: 'server queue',
    pending: of('kestrel.queued_connections', 'kestrel.queued_requests'),
    backlogMin: 20,
  },
  {
    type: 'queue',
    resource: 'telemetry export',
    namedBy: ['otel.component.name', 'exporter'],
    used: of('otel.sdk.processor.span.queue.size', 'otelcol_exporter_queue_size'),
    limit: of('otel.sdk.processor.span.queue.capacity', 'otelcol_exporter_queue_capacity'),
    pending: of('otel.sdk.processor.span.queue.size', 'otelcol_exporter_queue_size'),
  },

  // Processors: of a process, of a container or pod, of a machine.
  {
    type: 'cpu',
    resource: 'cpu',
    share: of(
      'jvm.cpu.recent_utilization',
      'process.runtime.jvm.cpu.utilization',
      'process.runtime.cpython.cpu.utilization',
    ),
  },
  {
    type: 'cpu',
    resource: 'cpu',
    share: some(BUSY, 'process.cpu.utilization', 'process.cpu.usage'),
  },
  {
    type: 'cpu',
    resource: 'cpu',
    used: rateOfSome(BUSY, 'jvm.cpu.time', 'dotnet.process.cpu.time', 'process.cpu.time'),
    limit: of('jvm.cpu.count', 'dotnet.process.cpu.count', 'process.cpu.count', 'go.processor.limit'),
  },
  {
    type: 'cpu',
    resource: 'container cpu',
    namedBy: CONTAINER,
    share: of(
      'k8s.container.cpu.limit.utilization',
      'k8s.container.cpu_limit_utilization',
      'container.cpu.limit_utilization',
    ),
  },
  {
    type: 'cpu',
    resource: 'container cpu',
    namedBy: CONTAINER,
    used: [
      ...of('container.cpu.usage'),
      ...rate('container.cpu.time', 'container.cpu.usage.total', 'container_cpu_usage_seconds_total'),
    ],
    limit: CONTAINER_CPU_LIMIT,
  },
  {
    type: 'cpu',
    resource: 'pod cpu',
    share: of('k8s.pod.cpu.limit.utilization', 'k8s.pod.cpu_limit_utilization'),
  },
  {
    type: 'cpu',
    resource: 'pod cpu',
    used: [...of('k8s.pod.cpu.usage'), ...rate('k8s.pod.cpu.time')],
    limit: of('k8s.pod.cpu.limit.current'),
  },
  {
    type: 'cpu',
    resource: 'host cpu',
    share: [
      { names: ['system.cpu.utilization'], where: BUSY, averagedOver: CPU_NUMBER },
      ...of('jvm.system.cpu.utilization', 'process.runtime.jvm.system.cpu.utilization', 'system.cpu.usage'),
    ],
    ofHost: true,
  },
  {
    type: 'cpu',
    resource: 'host cpu',
    used: rateOfSome(BUSY, 'system.cpu.time', 'node_cpu_seconds_total'),
    limit: rate('system.cpu.time', 'node_cpu_seconds_total'),
    ofHost: true,
  },
  {
    type: 'cpu',
    resource: 'host cpu',
    used: [...of('k8s.node.cpu.usage'), ...rate('k8s.node.cpu.time')],
    limit: of('k8s.node.cpu.allocatable', 'k8s.node.allocatable.cpu', 'k8s.node.allocatable_cpu'),
    ofHost: true,
  },

  // Memory. A heap fills up before each collection, so what the last one left tells more.
  {
    type: 'memory',
    resource: 'heap',
    used: [
      ...some(HEAP, 'jvm.memory.used_after_last_gc', 'process.runtime.jvm.memory.usage_after_last_gc'),
      ...some(HEAP, 'jvm.memory.used', 'process.runtime.jvm.memory.usage'),
    ],
    limit: some(HEAP, 'jvm.memory.limit', 'process.runtime.jvm.memory.limit', 'jvm.memory.max'),
  },
  {
    type: 'memory',
    resource: 'non-heap',
    namedBy: JVM_POOL,
    used: some(NON_HEAP, 'jvm.memory.used', 'process.runtime.jvm.memory.usage'),
    limit: some(NON_HEAP, 'jvm.memory.limit', 'process.runtime.jvm.memory.limit', 'jvm.memory.max'),
  },
  {
    type: 'memory',
    resource: 'heap',
    used: some(WHOLE_HEAP, 'v8js.memory.heap.used'),
    limit: some(WHOLE_HEAP, 'v8js.memory.heap.limit'),
  },
  {
    type: 'memory',
    resource: 'heap',
    used: of('go.memory.used', 'process.runtime.go.mem.heap_alloc', 'runtime.go.mem.heap_alloc'),
    limit: [...of('go.memory.limit'), ...CONTAINER_MEMORY_LIMIT],
  },
  {
    type: 'memory',
    resource: 'heap',
    used: [
      ...of('dotnet.gc.last_collection.memory.committed_size', 'process.runtime.dotnet.gc.committed_memory.size'),
      ...of('dotnet.gc.last_collection.heap.size', 'process.runtime.dotnet.gc.heap.size'),
    ],
    limit: CONTAINER_MEMORY_LIMIT,
  },
  {
    type: 'memory',
    resource: 'memory',
    share: of('process.memory.utilization'),
  },
  {
    type: 'memory',
    resource: 'memory',
    used: [
      ...of('process.memory.usage', 'process.memory.physical_usage', 'dotnet.process.memory.working_set'),
      ...some(is(['type'], 'rss', ''), 'process.runtime.cpython.memory'),
    ],
    limit: CONTAINER_MEMORY_LIMIT,
  },
  {
    type: 'memory',
    resource: 'container memory',
    namedBy: CONTAINER,
    share: of(
      'k8s.container.memory.limit.utilization',
      'k8s.container.memory_limit_utilization',
      'container.memory.limit_utilization',
    ),
  },
  {
    type: 'memory',
    resource: 'container memory',
    namedBy: CONTAINER,
    used: [
      ...of('container.memory.working_set', 'container.memory.usage', 'container.memory.usage.total'),
      ...of('container_memory_working_set_bytes'),
    ],
    limit: CONTAINER_MEMORY_LIMIT,
  },
  {
    type: 'memory',
    resource: 'pod memory',
    share: of('k8s.pod.memory.limit.utilization', 'k8s.pod.memory_limit_utilization'),
  },
  {
    type: 'memory',
    resource: 'pod memory',
    used: of('k8s.pod.memory.working_set', 'k8s.pod.memory.usage'),
    limit: of('k8s.pod.memory.limit.current'),
  },
  {
    type: 'memory',
    resource: 'host memory',
    share: some(is(['system.memory.state', 'state'], 'used', ''), 'system.memory.utilization'),
    ofHost: true,
  },
  {
    type: 'memory',
    resource: 'host memory',
    used: some(MEMORY_USED, 'system.memory.usage'),
    limit: [...of('system.memory.limit'), ...of('system.memory.usage')],
    ofHost: true,
  },
  {
    type: 'memory',
    resource: 'host memory',
    used: of('k8s.node.memory.working_set', 'k8s.node.memory.usage'),
    limit: of('k8s.node.memory.allocatable', 'k8s.node.allocatable.memory', 'k8s.node.allocatable_memory'),
    ofHost: true,
  },

  // Disks: how full they are, and how busy.
  {
    type: 'disk',
    resource: 'filesystem',
    namedBy: MOUNT,
    share: some(
      [...is(['system.filesystem.state', 'state'], 'used', ''), ...WRITABLE],
      'system.filesystem.utilization',
    ),
    ofHost: true,
  },
  {
    type: 'disk',
    resource: 'filesystem',
    namedBy: MOUNT,
    used: some(DISK_USED, 'system.filesystem.usage'),
    limit: [...some(WRITABLE, 'system.filesystem.limit'), ...some(WRITABLE, 'system.filesystem.usage')],
    ofHost: true,
  },
  {
    type: 'disk',
    resource: 'filesystem',
    namedBy: MOUNT,
    free: some(WRITABLE, 'disk.free', 'node_filesystem_avail_bytes'),
    limit: some(WRITABLE, 'disk.total', 'node_filesystem_size_bytes'),
    ofHost: true,
  },
  {
    type: 'disk',
    resource: 'disk',
    namedBy: ['system.device', 'device'],
    share: rate('system.disk.io_time', 'node_disk_io_time_seconds_total'),
    ofHost: true,
  },
  {
    type: 'disk',
    resource: 'volume',
    namedBy: VOLUME,
    free: of('k8s.pod.volume.available', 'k8s.volume.available', 'kubelet_volume_stats_available_bytes'),
    limit: of('k8s.pod.volume.capacity', 'k8s.volume.capacity', 'kubelet_volume_stats_capacity_bytes'),
  },
  {
    type: 'disk',
    resource: 'container filesystem',
    namedBy: CONTAINER,
    free: of('container.filesystem.available'),
    limit: of('container.filesystem.capacity'),
  },
  {
    type: 'disk',
    resource: 'node filesystem',
    free: of('k8s.node.filesystem.available'),
    limit: of('k8s.node.filesystem.capacity'),
    ofHost: true,
  },

  {
    type: 'file_descriptors',
    resource: 'file descriptors',
    used: [
      ...of('jvm.file_descriptor.count', 'process.unix.file_descriptor.count', 'process.open_file_descriptor.count'),
      ...of('process.open_file_descriptors', 'process.files.open', 'process_open_fds'),
    ],
    limit: of(
      'jvm.file_descriptor.limit',
      'process.open_file_descriptor.limit',
      'process.files.max',
      'process_max_fds',
    ),
  },

  {
    type: 'rate_limit',
    resource: 'rate limit',
    namedBy: ['aspnetcore.rate_limiting.policy', 'policy'],
    used: of('aspnetcore.rate_limiting.active_request_leases'),
    pending: of('aspnetcore.rate_limiting.queued_requests'),
    backlogMin: 20,
  },
  {
    type: 'rate_limit',
    resource: 'rate limit',
    namedBy: ['name'],
    pending: of('resilience4j.ratelimiter.waiting_threads', 'resilience4j.ratelimiter.waiting.threads'),
    backlogMin: 5,
  },

  // Requests in work.
  {
    type: 'concurrency',
    resource: 'connections',
    namedBy: ['name'],
    used: of('tomcat.connections.current'),
    limit: of('tomcat.connections.config.max'),
  },
  {
    type: 'concurrency',
    resource: 'bulkhead',
    namedBy: ['name'],
    free: of('resilience4j.bulkhead.available.concurrent.calls'),
    limit: of('resilience4j.bulkhead.max.allowed.concurrent.calls'),
  },
  {
    type: 'concurrency',
    resource: 'requests',
    used: of('http.server.active_requests', 'http.server.requests.active'),
    pending: of('kestrel.queued_requests'),
    ceiling: true,
  },
]
