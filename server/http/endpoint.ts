import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { Grid, Role } from '../control/control-store.ts'
import type { Caller } from '../identity/caller.ts'
import type { TelemetryReader } from '../storage/telemetry-store.ts'
import type { Access, GridAccess, PlatformAccess } from './access.ts'
import type { ProblemKind } from './problem.ts'

export const TAGS = [
  'Diagnostics',
  'Traces',
  'Logs',
  'Charts',
  'Alerts',
  'Notifications',
  'Grids',
  'Keys',
  'Members',
  'Users',
  'Clients',
  'Privacy',
  'Audit',
  'Backups',
] as const

/** All that is to be said of a route: validation, types, access and documentation follow from it. */
export interface Endpoint<
  P extends TProperties,
  Q extends TProperties,
  B extends TSchema,
  R extends TSchema,
  A extends Access = Access,
> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With `{parameters}`. That of a Grid contains `{gridSecondaryId}`, which the handler receives as `grid`. */
  path: string
  tag: (typeof TAGS)[number]
  summary: string
  description?: string
  access: A
  params?: P
  query?: Q
  body?: B
  /** Null where an answer has no body. */
  response: R | null
  /** What a body is that is no JSON; the handler answers with its bytes. */
  contentType?: 'image/png'
  /** 200 where it has a body, unless something was created. */
  created?: boolean
  /** What may go wrong here, apart from what may go wrong everywhere. */
  problems?: ProblemKind[]
}

interface Asked<P extends TProperties, Q extends TProperties, B extends TSchema> {
  caller: Caller
  nowMs: number
  params: Static<TObject<P>>
  query: Static<TObject<Q>>
  body: Static<B>
  /** Sets a header of the answer. */
  header(name: string, value: string): void
}

/** A question about one Grid, with the only way to its telemetry. */
export interface GridAsked<P extends TProperties, Q extends TProperties, B extends TSchema> extends Asked<P, Q, B> {
  grid: Grid
  role: Role
  reader: TelemetryReader
}

type Answered<R extends TSchema> = Promise<Static<R>>

/** What a group of routes is registered with. */
export interface Routes {
  onGrid<
    R extends TSchema,
    P extends TProperties = Record<never, never>,
    Q extends TProperties = Record<never, never>,
    B extends TSchema = TSchema,
  >(endpoint: Endpoint<P, Q, B, R, GridAccess>, handler: (asked: GridAsked<P, Q, B>) => Answered<R>): void

  onPlatform<
    R extends TSchema,
    P extends TProperties = Record<never, never>,
    Q extends TProperties = Record<never, never>,
    B extends TSchema = TSchema,
  >(endpoint: Endpoint<P, Q, B, R, PlatformAccess>, handler: (asked: Asked<P, Q, B>) => Answered<R>): void
}
