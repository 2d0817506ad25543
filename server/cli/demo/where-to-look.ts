import { keyHeader } from '../banner.ts'
import type { DemoAccess } from './demo-access.ts'

/** Printed once the server is up, ready to paste. */
export function whereToLook(access: DemoAccess): string {
  const { url, gridId, readKey } = access
  return `
Where to look:

  Documentation  ${url}/docs/
  Health         ${askCommand(access, 'health')}
  What broke     ${askCommand(access, 'diagnosis')}
  Failed traces  curl -H ${keyHeader(readKey)} -H 'Content-Type: application/json' '${url}/apm/traces/${gridId}?api-version=2.0' -d '{"rangeStart": "2020-01-01T00:00:00Z", "rangeEnd": "2100-01-01T00:00:00Z", "status": "ERROR"}'

Ctrl-C stops the shop and the server.
`
}

/** Asks a question of Diagnostics. */
export function askCommand({ url, gridId, readKey }: DemoAccess, question: string): string {
  return `curl -H ${keyHeader(readKey)} '${url}/apm/diagnostics/${gridId}/${question}?api-version=2.0'`
}
