import type { Span } from '../../../domain/span.ts'
import type { Scope } from '../scope/scope.ts'
import type { ParsedAttributes } from './parsed-attributes.ts'
import { hexOfNumber } from './span-rows-read.ts'

export type Origin = Pick<Span, 'serviceName' | 'resource' | 'scopeName' | 'scopeVersion'>

/** By the digits of `origin`. The same one may be in several files. */
export async function originsOf(
  scope: Scope,
  origins: string[],
  attributes: ParsedAttributes,
): Promise<Map<string, Origin>> {
  const columns = 'origin, service, resource, scope_name, scope_version'
  const where = `WHERE origin IN (${origins.map((digits) => BigInt(`0x${digits}`)).join(', ')})`
  const parts = scope.units.flatMap(({ file, open }) => [
    ...(file
      ? [
          `SELECT origin, name AS service, resource, scope_name, scope_version FROM ${file.alias}.origins
           JOIN ${file.alias}.names ON name_no = service_no ${where}`,
        ]
      : []),
    ...open.map(({ alias }) => `SELECT ${columns} FROM ${alias}.origins ${where}`),
  ])
  const rows = await scope.session.rows(`SELECT DISTINCT ON (origin) ${columns} FROM (${parts.join(' UNION ALL ')})`)
  return new Map(
    rows.map((row) => [
      hexOfNumber(row['origin']),
      {
        serviceName: row['service'] as string,
        resource: attributes.of(row['resource'] as string),
        scopeName: row['scope_name'] as string,
        scopeVersion: row['scope_version'] as string,
      },
    ]),
  )
}
