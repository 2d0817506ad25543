/**
 * Resource attributes that say which one it is, or where it runs, and not how it is set up: they differ after every restart
 * or move. Versions of the service are deployments.
 */
const KEYS = new Set([
  'service.name',
  'service.version',
  'service.instance.id',
  'process.command',
  'process.command_line',
  'process.command_args',
  'process.owner',
  'process.working_directory',
  'cloud.availability_zone',
  'cloud.region',
  'container.image.tag',
  'container.image.tags',
  'k8s.cluster.uid',
])

const FAMILIES = [
  'host.',
  'os.',
  'container.',
  'process.executable.',
  'process.parent',
  'k8s.pod.',
  'k8s.node.',
  'k8s.container.',
  'k8s.replicaset.',
  'k8s.job.',
  'aws.ecs.task.',
  'aws.log.',
  'faas.instance',
  'device.',
  'browser.',
  'client.',
  'vcs.',
]

const LAST_WORDS =
  /(?:^|[._-])(?:id|ids|uid|uuid|guid|pid|ppid|ip|ips|mac|address|addresses|port|hostname|arn|sha|hash|digest|commit|revision|build|nonce|seed|started|start|boot|uptime|time|timestamp|date|created|at|epoch)$/i

/** A UUID, a long number or hex text, a point in time, an address of the network. */
const ODD_VALUES =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-.*|(?=.*\d)[0-9a-f]{12,}|\d{7,}(?:\.\d+)?|\d{4}-\d\d-\d\d[T ].*|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|(?=.*:.*:)[0-9a-f:]{6,})$/i

export function namesIdentity(key: string, value: string): boolean {
  return (
    KEYS.has(key) || FAMILIES.some((family) => key.startsWith(family)) || LAST_WORDS.test(key) || ODD_VALUES.test(value)
  )
}
