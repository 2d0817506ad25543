import type { Runtime } from '../../../../server/demo/topology/service-spec.ts'

/** What a service does for a request, in this order. */
export type Step =
  | { do: 'compute'; medianMs: number; sigma: number }
  | { do: 'query'; database: string; statement: string; table: string; medianMs: number }
  | { do: 'call'; service: string; operation: string; limits: CallLimits }
  | { do: 'external'; api: string; operation: string; limits: CallLimits }
  | { do: 'publish'; topic: string }
  | { do: 'together'; branches: Step[] }
  | { do: 'say'; text: string }

export interface CallLimits {
  timeoutMs: number
  retries: number
  /** A failure is logged and done without. */
  isOptional: boolean
}

export interface OperationSpec {
  name: string
  steps: Step[]
  /** What goes wrong on an ordinary day. */
  hiccup: { share: number; type: string; message: string }
}

export interface ServiceSpec {
  name: string
  runtime: Runtime
  version: string
  instances: number
  /** Of its processors, 0 to 1, at the usual load. */
  usualLoad: number
  workers: number
  memoryMiB: number
  /** Connections of one instance to each of its databases. */
  poolSize: number
  sendsSpans: boolean
  sendsLogs: boolean
  sendsMetrics: boolean
  /** Some report failures on spans without the exception that caused them. */
  recordsExceptions: boolean
  operations: OperationSpec[]
  consumes: { topic: string; steps: Step[] }[]
}

/** Something that sends no telemetry, as those who ask it see it. */
export interface DatabaseSpec {
  name: string
  system: 'postgresql' | 'mysql' | 'redis' | 'mongodb'
  address: string
}

export interface ApiSpec {
  name: string
  address: string
  medianMs: number
  errorShare: number
}

export interface TopicSpec {
  name: string
  system: 'kafka' | 'rabbitmq'
  /** Consumers start a trace of their own that links to the sender, or go on in the sender's. */
  isLinked: boolean
}

export interface HostSpec {
  name: string
  region: string
  /** How far its clock is ahead. */
  skewMs: number
}

/** How the telemetry of a whole system is written. */
export interface Style {
  conventions: 'current' | 'former'
  metricsEveryMs: number
  /** Of all traces, those that are kept, decided where they begin. */
  sampledShare: number
  identity: ('service.instance.id' | 'k8s.pod.name' | 'host.name')[]
  customerKey: string
  /** How failures show on spans: as their status, only as the code of an answer, or not at all. */
  failuresShow: 'as status' | 'as code' | 'not at all'
  /** How much the speed of everything wanders from minute to minute. */
  wandering: number
  /** Whether services behind the entry know who the customer is. */
  passesCustomerOn: boolean
}

export interface GeneratedSystem {
  services: ServiceSpec[]
  databases: DatabaseSpec[]
  apis: ApiSpec[]
  topics: TopicSpec[]
  hosts: HostSpec[]
  entries: { service: string; operation: string; weight: number }[]
  customers: string[]
  style: Style
  requestsPerSecond: number
  /** How much traffic differs between day and night: 0 is not at all. */
  rhythm: number
}

export function serviceNamed({ services }: GeneratedSystem, name: string): ServiceSpec {
  const found = services.find((service) => service.name === name)
  if (found === undefined) throw new Error(`there is no service ${name}`)
  return found
}

export function operationNamed(service: ServiceSpec, name: string): OperationSpec {
  const found = service.operations.find((operation) => operation.name === name)
  if (found === undefined) throw new Error(`${service.name} has no operation ${name}`)
  return found
}
