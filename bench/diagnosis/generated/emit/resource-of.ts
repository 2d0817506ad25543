import type { GeneratedSystem } from '../system/generated-system.ts'
import type { Disturbance } from '../world/disturbance.ts'
import type { Instance } from '../world/instance.ts'
import { attributesJson, type Values } from './otlp-json.ts'

/** What identifies an instance in this system's telemetry, so that a label can name it. */
export function identityOf({ style }: GeneratedSystem, instance: Instance, version: string): Values {
  // Another version runs in another pod.
  const suffix = version === instance.service.version ? '' : `-${version.replaceAll('.', '')}`
  const all: Values = {
    'service.instance.id': `${instance.id}${suffix}`,
    'k8s.pod.name': `${instance.podName}${suffix}`,
    'host.name': instance.host.name,
  }
  return Object.fromEntries(style.identity.map((key) => [key, all[key] ?? '']))
}

/** The attributes of a resource, written once for each state that an instance is in. */
export function resourceWriter(
  system: GeneratedSystem,
  disturbances: Disturbance[],
): (instance: Instance, atMs: number) => string {
  const written = new Map<string, string>()
  return (instance, atMs) => {
    const { name, version: usual, runtime } = instance.service
    const version = firstOf(disturbances, (each) => each.version?.(name, instance.slot, atMs)) ?? usual
    const settings = Object.assign({}, ...disturbances.map((each) => each.settings?.(name, atMs) ?? {})) as Values
    const key = `${instance.id} ${version} ${JSON.stringify(settings)}`
    const known = written.get(key)
    if (known !== undefined) return known
    const text = attributesJson({
      'service.name': name,
      'service.version': version,
      ...identityOf(system, instance, version),
      'cloud.region': instance.host.region,
      'deployment.environment.name': 'production',
      'telemetry.sdk.language': runtime,
      ...settings,
    })
    written.set(key, text)
    return text
  }
}

function firstOf<T>(disturbances: Disturbance[], ask: (each: Disturbance) => T | undefined): T | undefined {
  for (const each of disturbances) {
    const answer = ask(each)
    if (answer !== undefined) return answer
  }
  return undefined
}
