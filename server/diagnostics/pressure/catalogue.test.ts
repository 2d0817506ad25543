import { describe, expect, it } from 'vitest'
import type { Attributes } from '../../domain/attributes.ts'
import { CATALOGUE } from './catalogue.ts'
import { metricGroups } from './metric-groups.ts'
import { ROLES } from './metric-index.ts'
import type { PressurePoint } from './pressure-points.ts'
import { counter, gaining, gauge, pointsOf, pressureOf, type Series, updown } from './testing/metric-series.ts'

type Expected = Partial<PressurePoint>
type Case = [title: string, expected: Expected, ...variants: Series[][]]

const GiB = 1024 ** 3
const PILE = [10, 200, 900, 2400, 5200]
const LINE = [0, 12, 30, 55, 90]

const pool = (used: string, state: string, name: string) => (value: number, of: string) =>
  updown(used, value, { [name]: 'pay-primary', [state]: of })
const current = pool('db.client.connection.count', 'db.client.connection.state', 'db.client.connection.pool.name')
const former = pool('db.client.connections.usage', 'state', 'pool.name')
const newPool = { 'db.client.connection.pool.name': 'pay-primary' }
const oldPool = { 'pool.name': 'pay-primary' }
const HOST: Partial<Series> = { resource: { 'host.name': 'node-1' } }
const POD: Partial<Series> = { resource: { 'k8s.deployment.name': 'shop', 'k8s.pod.name': 'shop-1' } }
const APP: Partial<Series> = { resource: { ...POD.resource, 'k8s.container.name': 'app' } }

const nineOf10 = (type: PressurePoint['type'], resource: string): Expected => ({
  type,
  resource,
  utilization: 90,
  capacity: 10,
  severity: 'warning',
})
const share90 = (type: PressurePoint['type'], resource: string): Expected => ({
  type,
  resource,
  utilization: 90,
  capacity: 0,
  severity: 'warning',
})
const backlog = (type: PressurePoint['type'], resource: string, queueDepth: number): Expected => ({
  type,
  resource,
  queueDepth,
  utilization: 0,
  capacity: 0,
  severity: 'critical',
})
const share = (type: PressurePoint['type'], resource: string, ...names: string[]): Case => [
  names[0] ?? '',
  share90(type, resource),
  ...names.map((name) => [gauge(name, 0.9)]),
]
const level = (
  [type, resource]: [PressurePoint['type'], string],
  used: string[],
  limits: string[],
  attributes: Attributes = {},
  more: Partial<Series> = {},
): Case => [
  used[0] ?? '',
  { type, resource, utilization: 90, severity: 'warning' },
  ...used.map((name) => [updown(name, 9 * GiB, attributes, more), updown(limits[0] ?? '', 10 * GiB, attributes, more)]),
  ...limits.map((name) => [updown(used[0] ?? '', 9 * GiB, attributes, more), gauge(name, 10 * GiB, attributes, more)]),
]
const rising = (
  [type, resource]: [PressurePoint['type'], string],
  depths: number[],
  attributes: Attributes,
  ...names: string[]
): Case => [
  names[0] ?? '',
  backlog(type, resource, depths.at(-1) ?? 0),
  ...names.map((name) => [gauge(name, depths, attributes)]),
]

const CASES: Case[] = [
  [
    'database clients',
    { ...nineOf10('connection_pool', 'pay-primary'), queueDepth: 2 },
    [
      current(9, 'used'),
      current(1, 'idle'),
      updown('db.client.connection.limit', 10, newPool),
      updown('db.client.connection.pending_requests', 2, newPool),
    ],
    [
      current(9, 'used'),
      current(1, 'idle'),
      updown('db.client.connection.max', 10, newPool),
      updown('db.client.connection.pending_requests', 2, newPool),
    ],
    [
      former(9, 'used'),
      former(1, 'idle'),
      updown('db.client.connections.max', 10, oldPool),
      updown('db.client.connections.pending_requests', 2, oldPool),
    ],
    [
      updown('db_client_connections_usage', 9, {
        db_client_connections_pool_name: 'pay-primary',
        db_client_connections_state: 'used',
      }),
      gauge('db_client_connections_max', 10, { db_client_connections_pool_name: 'pay-primary' }),
      gauge('db_client_connections_pending_requests', 2, { db_client_connections_pool_name: 'pay-primary' }),
    ],
  ],
  [
    'HikariCP through Micrometer',
    { ...nineOf10('connection_pool', 'pay-primary'), queueDepth: 2 },
    ...[(name: string) => name, (name: string) => name.replaceAll('.', '_')].map((spell) => [
      gauge(spell('hikaricp.connections.active'), 9, { pool: 'pay-primary' }),
      gauge(spell('hikaricp.connections.max'), 10, { pool: 'pay-primary' }),
      gauge(spell('hikaricp.connections.pending'), 2, { pool: 'pay-primary' }),
    ]),
  ],
  [
    'other pools through Micrometer',
    nineOf10('connection_pool', 'dataSource'),
    [
      gauge('jdbc.connections.active', 9, { name: 'dataSource' }),
      gauge('jdbc.connections.max', 10, { name: 'dataSource' }),
    ],
    [
      gauge('r2dbc.pool.acquired', 9, { name: 'dataSource' }),
      gauge('r2dbc.pool.max.allocated', 10, { name: 'dataSource' }),
      gauge('r2dbc.pool.pending', 0, { name: 'dataSource' }),
    ],
  ],
  [
    'pools of Go',
    nineOf10('connection_pool', 'orders'),
    [
      gauge('db.sql.connection.open', 9, { status: 'inuse', 'db.namespace': 'orders' }),
      gauge('db.sql.connection.open', 1, { status: 'idle', 'db.namespace': 'orders' }),
      gauge('db.sql.connection.max_open', 10, { 'db.namespace': 'orders' }),
    ],
    ...[
      ['go.sql.connections_in_use', 'go.sql.connections_max_open'],
      ['go_sql_stats_connections_in_use', 'go_sql_stats_connections_max_open'],
      ['go_sql_in_use_connections', 'go_sql_max_open_connections'],
      ['pgxpool.acquired_connections', 'pgxpool.max_connections'],
      ['pgxpool.acquired_conns', 'pgxpool.max_conns'],
    ].map(([used = '', max = '']) => [gauge(used, 9, { db_name: 'orders' }), gauge(max, 10, { db_name: 'orders' })]),
  ],
  [
    'the MongoDB driver',
    backlog('connection_pool', 'mongo-1', 90),
    [
      gauge('mongodb.driver.pool.checkedout', 100, { 'server.address': 'mongo-1' }),
      gauge('mongodb.driver.pool.waitqueuesize', LINE, { 'server.address': 'mongo-1' }),
    ],
  ],
  [
    'the connections of PostgreSQL',
    nineOf10('connection_pool', 'server connections'),
    [updown('postgresql.backends', 9), gauge('postgresql.connection.max', 10)],
  ],

  [
    'executors of the JVM',
    { ...nineOf10('thread_pool', 'http-worker'), queueDepth: 4 },
    [
      updown('jvm.executor.thread.count', 9, {
        'jvm.executor.name': 'http-worker',
        'jvm.executor.thread.state': 'active',
      }),
      updown('jvm.executor.thread.count', 1, {
        'jvm.executor.name': 'http-worker',
        'jvm.executor.thread.state': 'idle',
      }),
      updown('jvm.executor.thread.limit', 10, { 'jvm.executor.name': 'http-worker' }),
      updown('jvm.executor.queue.size', 4, { 'jvm.executor.name': 'http-worker' }),
    ],
  ],
  [
    'executors through Micrometer',
    { ...nineOf10('thread_pool', 'tasks'), queueDepth: 4 },
    [
      gauge('executor.active', 9, { name: 'tasks' }),
      gauge('executor.pool.max', 10, { name: 'tasks' }),
      gauge('executor.queued', 4, { name: 'tasks' }),
    ],
    [
      gauge('executor_active', 9, { name: 'tasks' }),
      gauge('executor_pool_max', 10, { name: 'tasks' }),
      gauge('executor_queued', 4, { name: 'tasks' }),
    ],
  ],
  [
    'the threads of servlet containers',
    nineOf10('thread_pool', 'http-nio-8080'),
    ...[
      ['tomcat.thread.busy.count', 'tomcat.thread.limit', 'tomcat.thread.pool.name'],
      ['tomcat.thread.busy.count', 'tomcat.thread.max', 'tomcat.thread_pool.name'],
      ['tomcat.threads.busy', 'tomcat.threads.config.max', 'name'],
      ['jetty.thread.busy.count', 'jetty.thread.limit', 'jetty.thread.pool.id'],
      ['jetty.threads.busy', 'jetty.threads.config.max', 'name'],
    ].map(([used = '', max = '', key = '']) => [
      updown(used, 9, { [key]: 'http-nio-8080' }),
      updown(max, 10, { [key]: 'http-nio-8080' }),
    ]),
    ...['jetty.thread.queue.size', 'jetty.threads.jobs'].map((jobs) => [
      updown('jetty.thread.busy.count', 9, { 'jetty.thread.pool.id': 'http-nio-8080' }),
      updown('jetty.thread.limit', 10, { 'jetty.thread.pool.id': 'http-nio-8080' }),
      updown(jobs, 0, { 'jetty.thread.pool.id': 'http-nio-8080' }),
    ]),
  ],
  [
    'the thread pool of .NET',
    backlog('thread_pool', 'thread pool', 90),
    [updown('dotnet.thread_pool.thread.count', 40), updown('dotnet.thread_pool.queue.length', LINE)],
    [
      updown('process.runtime.dotnet.thread_pool.threads.count', 40),
      updown('process.runtime.dotnet.thread_pool.queue.length', LINE),
    ],
  ],

  share(
    'event_loop',
    'event loop',
    'nodejs.eventloop.utilization',
    'nodejs.event_loop.utilization',
    'nodejs_eventloop_utilization_ratio',
  ),
  [
    'the time of the event loop',
    { type: 'event_loop', resource: 'event loop', utilization: 90 },
    [
      counter('nodejs.eventloop.time', gaining(0.9), { 'nodejs.eventloop.state': 'active' }),
      counter('nodejs.eventloop.time', gaining(0.1), { 'nodejs.eventloop.state': 'idle' }),
    ],
  ],
  [
    'the delay of the event loop',
    share90('event_loop', 'event loop'),
    [gauge('nodejs.eventloop.delay.p99', 0.18, {}, { unit: 's' })],
    [gauge('nodejs.event_loop.delay.p99', 180, {}, { unit: 'ms' })],
    [gauge('nodejs_eventloop_lag_p99_seconds', 0.18)],
  ],

  [
    'the queue of an executor of the JVM',
    { type: 'queue', resource: 'http-worker', utilization: 90, capacity: 100, queueDepth: 90 },
    [
      updown('jvm.executor.queue.size', 90, { 'jvm.executor.name': 'http-worker' }),
      updown('jvm.executor.queue.capacity', 100, { 'jvm.executor.name': 'http-worker' }),
    ],
  ],
  [
    'the queue of an executor through Micrometer',
    { type: 'queue', resource: 'tasks', utilization: 90, capacity: 100, queueDepth: 90 },
    [gauge('executor.queued', 90, { name: 'tasks' }), gauge('executor.queue.remaining', 10, { name: 'tasks' })],
  ],
  [
    'the lag of a Kafka consumer',
    backlog('queue', 'orders/billing', 5202),
    ...[
      'kafka.consumer.records_lag',
      'kafka.consumer.fetch.manager.records.lag',
      'messaging.kafka.consumer.lag',
      'kafka_consumer_fetch_manager_records_lag',
    ].map((name) => [
      gauge(name, PILE, { topic: 'orders', group: 'billing', partition: 0 }),
      gauge(name, 2, { topic: 'orders', group: 'billing', partition: 1 }),
    ]),
  ],
  rising(
    ['queue', 'orders'],
    PILE,
    { topic: 'orders', 'client-id': 'c-1' },
    'kafka.consumer.records_lag_max',
    'kafka.consumer.records-lag-max',
    'kafka.consumer.fetch.manager.records.lag.max',
  ),
  rising(
    ['queue', 'orders/billing'],
    PILE,
    { topic: 'orders', group: 'billing' },
    'kafka.consumer_group.lag_sum',
    'kafka.consumer_group.lag',
    'kafka_consumergroup_lag',
    'kafka_consumergroup_group_lag',
  ),
  rising(['queue', 'kafka replicas'], PILE, {}, 'kafka.max.lag', 'messaging.kafka.max.lag'),
  [
    'the messages of RabbitMQ',
    backlog('queue', 'mails', 5200),
    [
      updown('rabbitmq.message.current', PILE, { state: 'ready' }, { resource: { 'rabbitmq.queue.name': 'mails' } }),
      updown(
        'rabbitmq.message.current',
        900,
        { state: 'unacknowledged' },
        { resource: { 'rabbitmq.queue.name': 'mails' } },
      ),
    ],
    [gauge('rabbitmq.message.current', PILE, { 'messaging.destination.name': 'mails' })],
    [gauge('rabbitmq_queue_messages_ready', PILE, { queue: 'mails' })],
    [gauge('rabbitmq_queue_messages', PILE, { queue: 'mails' })],
  ],
  rising(['queue', 'server queue'], LINE, {}, 'kestrel.queued_connections', 'kestrel.queued_requests'),
  [
    'the export of telemetry',
    { type: 'queue', resource: 'otlp', utilization: 90, capacity: 1000, queueDepth: 900 },
    [
      updown('otel.sdk.processor.span.queue.size', 900, { 'otel.component.name': 'otlp' }),
      updown('otel.sdk.processor.span.queue.capacity', 1000, { 'otel.component.name': 'otlp' }),
    ],
    [
      gauge('otelcol_exporter_queue_size', 900, { exporter: 'otlp' }),
      gauge('otelcol_exporter_queue_capacity', 1000, { exporter: 'otlp' }),
    ],
  ],

  share(
    'cpu',
    'cpu',
    'jvm.cpu.recent_utilization',
    'process.runtime.jvm.cpu.utilization',
    'process.runtime.cpython.cpu.utilization',
  ),
  [
    'the processor time of a process, in shares',
    share90('cpu', 'cpu'),
    [
      gauge('process.cpu.utilization', 0.7, { 'cpu.mode': 'user' }),
      gauge('process.cpu.utilization', 0.2, { 'cpu.mode': 'system' }),
      gauge('process.cpu.utilization', 0.5, { 'cpu.mode': 'wait' }),
    ],
    [
      gauge('process.cpu.utilization', 0.7, { state: 'user' }),
      gauge('process.cpu.utilization', 0.2, { state: 'system' }),
    ],
    [gauge('process.cpu.utilization', 90, {}, { unit: '%' })],
    [gauge('process.cpu.usage', 0.9)],
  ],
  [
    'the processor time of a process, in seconds',
    { type: 'cpu', resource: 'cpu', utilization: 90, capacity: 4 },
    [counter('jvm.cpu.time', gaining(3.6), {}, { unit: 's' }), updown('jvm.cpu.count', 4)],
    [
      counter('dotnet.process.cpu.time', gaining(3), { 'cpu.mode': 'user' }),
      counter('dotnet.process.cpu.time', gaining(0.6), { 'cpu.mode': 'system' }),
      updown('dotnet.process.cpu.count', 4),
    ],
    [counter('process.cpu.time', gaining(3.6e9), {}, { unit: 'ns' }), updown('process.cpu.count', 4)],
    [counter('process.cpu.time', gaining(3.6)), updown('go.processor.limit', 4)],
    [counter('process_cpu_time_seconds_total', gaining(3.6)), gauge('process_cpu_count', 4)],
  ],
  [
    'the processor limit of a container, in shares',
    share90('cpu', 'app'),
    ...[
      'k8s.container.cpu.limit.utilization',
      'k8s.container.cpu_limit_utilization',
      'container.cpu.limit_utilization',
    ].map((name) => [gauge(name, 0.9, {}, APP)]),
  ],
  [
    'the processor limit of a container',
    { type: 'cpu', resource: 'app', utilization: 90, capacity: 2 },
    ...[
      'k8s.container.cpu.limit.current',
      'k8s.container.cpu.limit',
      'k8s.container.cpu_limit',
      'container.cpu.limit',
    ].map((limit) => [gauge('container.cpu.usage', 1.8, {}, APP), gauge(limit, 2, {}, APP)]),
    ...['container.cpu.time', 'container_cpu_usage_seconds_total'].map((time) => [
      counter(time, gaining(1.8), {}, APP),
      gauge('k8s.container.cpu.limit', 2, {}, APP),
    ]),
    [
      counter('container.cpu.usage.total', gaining(1.8e9), {}, { ...APP, unit: 'ns' }),
      gauge('container.cpu.limit', 2, {}, APP),
    ],
  ],
  [
    'the processor limit of a pod',
    { type: 'cpu', resource: 'pod cpu', utilization: 90 },
    [gauge('k8s.pod.cpu.limit.utilization', 0.9, {}, POD)],
    [gauge('k8s.pod.cpu_limit_utilization', 0.9, {}, POD)],
    [gauge('k8s.pod.cpu.usage', 1.8, {}, POD), gauge('k8s.pod.cpu.limit.current', 2, {}, POD)],
    [counter('k8s.pod.cpu.time', gaining(1.8), {}, POD), gauge('k8s.pod.cpu.limit.current', 2, {}, POD)],
  ],
  [
    'the processors of a machine',
    { type: 'cpu', resource: 'host cpu on node-1', utilization: 90 },
    [0, 1].flatMap((cpu) => [
      gauge('system.cpu.utilization', 0.6, { 'cpu.logical_number': cpu, 'cpu.mode': 'user' }, HOST),
      gauge('system.cpu.utilization', 0.3, { 'cpu.logical_number': cpu, 'cpu.mode': 'system' }, HOST),
      gauge('system.cpu.utilization', 0.1, { 'cpu.logical_number': cpu, 'cpu.mode': 'idle' }, HOST),
    ]),
    [
      gauge('system.cpu.utilization', 0.9, { cpu: 'cpu0', state: 'user' }, HOST),
      gauge('system.cpu.utilization', 0.1, { cpu: 'cpu0', state: 'idle' }, HOST),
    ],
    ...['jvm.system.cpu.utilization', 'process.runtime.jvm.system.cpu.utilization', 'system.cpu.usage'].map((name) => [
      gauge(name, 0.9, {}, HOST),
    ]),
    ...['system.cpu.time', 'node_cpu_seconds_total'].map((name) => [
      counter(name, gaining(1.8), { cpu: 'cpu0', state: 'user' }, HOST),
      counter(name, gaining(0.2), { cpu: 'cpu0', state: 'idle' }, HOST),
    ]),
    ...['k8s.node.cpu.allocatable', 'k8s.node.allocatable.cpu', 'k8s.node.allocatable_cpu'].map((limit) => [
      gauge('k8s.node.cpu.usage', 3.6, {}, HOST),
      gauge(limit, 4, {}, HOST),
    ]),
    [counter('k8s.node.cpu.time', gaining(3.6), {}, HOST), gauge('k8s.node.allocatable_cpu', 4, {}, HOST)],
  ],

  level(
    ['memory', 'heap'],
    [
      'jvm.memory.used',
      'process.runtime.jvm.memory.usage',
      'jvm.memory.used_after_last_gc',
      'process.runtime.jvm.memory.usage_after_last_gc',
    ],
    ['jvm.memory.limit', 'process.runtime.jvm.memory.limit', 'jvm.memory.max', 'jvm_memory_limit_bytes'],
    { type: 'heap', pool: 'G1 Old Gen' },
  ),
  [
    'the heap of the JVM, by its pools',
    { type: 'memory', resource: 'heap', utilization: 90, capacity: 10 * GiB },
    [
      updown('jvm.memory.used', 6 * GiB, { 'jvm.memory.type': 'heap', 'jvm.memory.pool.name': 'G1 Old Gen' }),
      updown('jvm.memory.used', 3 * GiB, { 'jvm.memory.type': 'heap', 'jvm.memory.pool.name': 'G1 Eden Space' }),
      updown('jvm.memory.limit', 10 * GiB, { 'jvm.memory.type': 'heap', 'jvm.memory.pool.name': 'G1 Old Gen' }),
      updown('jvm.memory.used', 9 * GiB, { 'jvm.memory.type': 'non_heap', 'jvm.memory.pool.name': 'Metaspace' }),
    ],
  ],
  level(
    ['memory', 'CodeCache'],
    ['jvm.memory.used', 'process.runtime.jvm.memory.usage'],
    ['jvm.memory.limit', 'process.runtime.jvm.memory.limit', 'jvm.memory.max'],
    { area: 'nonheap', id: 'CodeCache' },
  ),
  level(['memory', 'heap'], ['v8js.memory.heap.used'], ['v8js.memory.heap.limit']),
  level(
    ['memory', 'heap'],
    ['go.memory.used', 'process.runtime.go.mem.heap_alloc', 'runtime.go.mem.heap_alloc'],
    ['go.memory.limit', 'k8s.container.memory.limit.current'],
  ),
  level(
    ['memory', 'heap'],
    [
      'dotnet.gc.last_collection.memory.committed_size',
      'process.runtime.dotnet.gc.committed_memory.size',
      'dotnet.gc.last_collection.heap.size',
      'process.runtime.dotnet.gc.heap.size',
    ],
    ['container.memory.limit'],
  ),
  share('memory', 'memory', 'process.memory.utilization'),
  level(
    ['memory', 'memory'],
    [
      'process.memory.usage',
      'process.memory.physical_usage',
      'dotnet.process.memory.working_set',
      'process.runtime.cpython.memory',
    ],
    ['container.memory.limit'],
  ),
  [
    'the memory limit of a container, in shares',
    share90('memory', 'app'),
    ...[
      'k8s.container.memory.limit.utilization',
      'k8s.container.memory_limit_utilization',
      'container.memory.limit_utilization',
    ].map((name) => [gauge(name, 0.9, {}, APP)]),
  ],
  level(
    ['memory', 'app'],
    [
      'container.memory.working_set',
      'container.memory.usage',
      'container.memory.usage.total',
      'container_memory_working_set_bytes',
    ],
    [
      'k8s.container.memory.limit.current',
      'k8s.container.memory.limit',
      'k8s.container.memory_limit',
      'container.memory.usage.limit',
      'container.memory.limit',
      'container_spec_memory_limit_bytes',
    ],
    {},
    APP,
  ),
  [
    'the memory limit of a pod, in shares',
    share90('memory', 'pod memory'),
    [gauge('k8s.pod.memory.limit.utilization', 0.9, {}, POD)],
    [gauge('k8s.pod.memory_limit_utilization', 0.9, {}, POD)],
  ],
  level(
    ['memory', 'pod memory'],
    ['k8s.pod.memory.working_set', 'k8s.pod.memory.usage'],
    ['k8s.pod.memory.limit.current'],
    {},
    POD,
  ),
  [
    'the memory of a machine, in shares',
    share90('memory', 'host memory on node-1'),
    [
      gauge('system.memory.utilization', 0.9, { 'system.memory.state': 'used' }, HOST),
      gauge('system.memory.utilization', 0.1, { 'system.memory.state': 'free' }, HOST),
    ],
    [
      gauge('system.memory.utilization', 0.9, { state: 'used' }, HOST),
      gauge('system.memory.utilization', 0.05, { state: 'cached' }, HOST),
    ],
  ],
  [
    'the memory of a machine',
    { type: 'memory', resource: 'host memory on node-1', utilization: 90, capacity: 10 * GiB },
    [
      updown('system.memory.usage', 9 * GiB, { state: 'used' }, HOST),
      updown('system.memory.usage', GiB, { state: 'free' }, HOST),
    ],
    [
      updown('system.memory.usage', 9 * GiB, { state: 'used' }, HOST),
      updown('system.memory.limit', 10 * GiB, {}, HOST),
    ],
  ],
  level(
    ['memory', 'host memory on node-1'],
    ['k8s.node.memory.working_set', 'k8s.node.memory.usage'],
    ['k8s.node.memory.allocatable', 'k8s.node.allocatable.memory', 'k8s.node.allocatable_memory'],
    {},
    HOST,
  ),

  [
    'a filesystem, in shares',
    share90('disk', '/data on node-1'),
    [
      gauge(
        'system.filesystem.utilization',
        0.9,
        { 'system.filesystem.mountpoint': '/data', 'system.device': '/dev/sda1' },
        HOST,
      ),
    ],
    [
      gauge(
        'system.filesystem.utilization',
        0.9,
        { mountpoint: '/data', device: '/dev/sda1', type: 'ext4', mode: 'rw' },
        HOST,
      ),
    ],
    [gauge('system_filesystem_utilization_ratio', 0.9, { mountpoint: '/data' }, HOST)],
  ],
  [
    'a filesystem',
    { type: 'disk', resource: '/data on node-1', utilization: 90, capacity: 10 * GiB },
    [
      updown('system.filesystem.usage', 9 * GiB, { mountpoint: '/data', state: 'used' }, HOST),
      updown('system.filesystem.usage', GiB, { mountpoint: '/data', state: 'free' }, HOST),
    ],
    [
      updown('system.filesystem.usage', 9 * GiB, { mountpoint: '/data', state: 'used' }, HOST),
      updown('system.filesystem.limit', 10 * GiB, { mountpoint: '/data' }, HOST),
    ],
    [gauge('disk.free', GiB, { path: '/data' }, HOST), gauge('disk.total', 10 * GiB, { path: '/data' }, HOST)],
    [
      gauge('node_filesystem_avail_bytes', GiB, { mountpoint: '/data' }, HOST),
      gauge('node_filesystem_size_bytes', 10 * GiB, { mountpoint: '/data' }, HOST),
    ],
  ],
  [
    'a busy disk',
    { type: 'disk', resource: 'sda on node-1', utilization: 90 },
    [counter('system.disk.io_time', gaining(0.9), { device: 'sda' }, HOST)],
    [counter('node_disk_io_time_seconds_total', gaining(0.9), { device: 'sda' }, HOST)],
  ],
  [
    'a volume',
    { type: 'disk', resource: 'orders-data', utilization: 90, capacity: 10 * GiB },
    ...[
      ['k8s.pod.volume.available', 'k8s.pod.volume.capacity'],
      ['k8s.volume.available', 'k8s.volume.capacity'],
    ].map(([free = '', capacity = '']) => {
      const more = { resource: { ...POD.resource, 'k8s.persistentvolumeclaim.name': 'orders-data' } }
      return [gauge(free, GiB, {}, more), gauge(capacity, 10 * GiB, {}, more)]
    }),
    [
      gauge('kubelet_volume_stats_available_bytes', GiB, { persistentvolumeclaim: 'orders-data' }),
      gauge('kubelet_volume_stats_capacity_bytes', 10 * GiB, { persistentvolumeclaim: 'orders-data' }),
    ],
  ],
  [
    'the filesystem of a container',
    { type: 'disk', resource: 'app', utilization: 90 },
    [gauge('container.filesystem.available', GiB, {}, APP), gauge('container.filesystem.capacity', 10 * GiB, {}, APP)],
  ],
  [
    'the filesystem of a node',
    { type: 'disk', resource: 'node filesystem on node-1', utilization: 90 },
    [gauge('k8s.node.filesystem.available', GiB, {}, HOST), gauge('k8s.node.filesystem.capacity', 10 * GiB, {}, HOST)],
  ],

  level(
    ['file_descriptors', 'file descriptors'],
    [
      'jvm.file_descriptor.count',
      'process.unix.file_descriptor.count',
      'process.open_file_descriptor.count',
      'process.open_file_descriptors',
      'process.files.open',
      'process_open_fds',
    ],
    ['jvm.file_descriptor.limit', 'process.open_file_descriptor.limit', 'process.files.max', 'process_max_fds'],
  ),

  [
    'the rate limiter of ASP.NET',
    backlog('rate_limit', 'checkout', 90),
    [
      updown('aspnetcore.rate_limiting.active_request_leases', 100, { 'aspnetcore.rate_limiting.policy': 'checkout' }),
      updown('aspnetcore.rate_limiting.queued_requests', LINE, { 'aspnetcore.rate_limiting.policy': 'checkout' }),
    ],
  ],
  rising(
    ['rate_limit', 'backend'],
    LINE,
    { name: 'backend' },
    'resilience4j.ratelimiter.waiting_threads',
    'resilience4j.ratelimiter.waiting.threads',
  ),

  [
    'the connections of Tomcat',
    nineOf10('concurrency', 'http-nio-8080'),
    [
      gauge('tomcat.connections.current', 9, { name: 'http-nio-8080' }),
      gauge('tomcat.connections.config.max', 10, { name: 'http-nio-8080' }),
    ],
  ],
  [
    'a bulkhead',
    nineOf10('concurrency', 'payments'),
    [
      gauge('resilience4j.bulkhead.available.concurrent.calls', 1, { name: 'payments' }),
      gauge('resilience4j.bulkhead.max.allowed.concurrent.calls', 10, { name: 'payments' }),
    ],
  ],
  [
    'requests in work below a ceiling, while ever more wait',
    { type: 'concurrency', resource: 'requests', utilization: 100, capacity: 40, queueDepth: 90, severity: 'critical' },
    [
      updown('http.server.active_requests', [30, 39, 40, 40, 40, 40], { 'http.request.method': 'GET' }),
      updown('kestrel.queued_requests', [0, ...LINE]),
    ],
    [updown('http.server.requests.active', [30, 39, 40, 40, 40, 40]), updown('kestrel.queued_requests', [0, ...LINE])],
  ],
]

describe('the catalogue', () => {
  describe.each(CASES)('reads %s', (_, expected, ...variants) => {
    it.each(variants.map((series) => [[...new Set(series.map(({ name }) => name))].join(', '), series] as const))(
      'from %s',
      (_names, series) => {
        const found = pressureOf(pointsOf(...series))
        expect(found).toContainEqual(expect.objectContaining({ serviceName: 'shop', ...expected }))
      },
    )
  })

  const seriesOfAll = CASES.flatMap(([, , ...variants]) => variants)

  it.each(CATALOGUE.flatMap((entry) => ROLES.flatMap((role) => (entry[role] ?? []).flatMap(({ names }) => names))))(
    'has a case for %s',
    (name) => {
      expect(seriesOfAll.flat().some((series) => series.name === name)).toBe(true)
    },
  )

  it.each(CATALOGUE.map((entry) => [entry.type, entry.resource, entry] as const))(
    'has a case for each entry: %s %s',
    (_, __, entry) => {
      const read = seriesOfAll.filter((series) =>
        metricGroups(pointsOf(...series)).some((group) => group.entry === entry),
      )
      expect(read.length).toBeGreaterThan(0)
    },
  )

  it('names each metric once for each thing that it tells of an entry', () => {
    for (const entry of CATALOGUE)
      for (const role of ROLES) {
        const names = (entry[role] ?? []).flatMap((measure) => measure.names)
        expect(new Set(names).size).toBe(names.length)
      }
  })
})
