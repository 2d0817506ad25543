import { createHash } from 'node:crypto'
import type { HourVersion } from '../diagnostics-reader.ts'
import { ascending } from './ascending.ts'
import type { GridRows } from './grid-rows.ts'
import { groupedBy } from './grouped-by.ts'
import { hourOf } from './time-units.ts'

/** A version is a digest of what the hour's records are known by, so that only new and removed records change it. */
export function hourVersions({ spans, logs, points }: GridRows): HourVersion[] {
  const records = [
    ...[...spans].map(([key, { startNs }]) => ({ key: `span ${key}`, timeNs: startNs })),
    ...[...logs].map(([key, { timeNs }]) => ({ key: `log ${key}`, timeNs })),
    ...[...points].map(([key, { timeNs }]) => ({ key: `point ${key}`, timeNs })),
  ]
  return [...groupedBy(records, ({ timeNs }) => String(hourOf(timeNs)))]
    .map(([hour, own]) => ({ hourStartNs: BigInt(hour), version: digestOf(own.map(({ key }) => key)) }))
    .toSorted((a, b) => ascending(a.hourStartNs, b.hourStartNs))
}

function digestOf(keys: string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(keys.toSorted(ascending)))
    .digest('hex')
}
