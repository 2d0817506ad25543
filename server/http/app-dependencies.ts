import type { ServerOptions as HttpsOptions } from 'node:https'
import type { FastifyBaseLogger, FastifyPluginAsync } from 'fastify'
import type { Backups } from '../backup/backups.ts'
import type { PictureMaker } from '../charts/picture.ts'
import type { ControlStore } from '../control/control-store.ts'
import type { Delivery } from '../control/notification-store.ts'
import type { NotificationChannel } from '../domain/notification-channel.ts'
import type { Authenticator } from '../identity/caller.ts'
import type { TelemetryStore } from '../storage/telemetry-store.ts'
import type { RateLimitDefaults } from './caller-limits.ts'
import type { OAuthMount } from './oauth-mount.ts'
import type { PrivacyRulesApplied } from './routes/privacy-rules.ts'
import type { SystemOptions } from './routes/system.ts'

/** What the API needs of those who send notifications. */
export interface NotificationTests {
  /** Why nothing would be sent to a host, where its name alone says so. */
  refusalOf(host: string): string | undefined
  /** Undefined where too many tests are under way. */
  test(channel: NotificationChannel): Promise<Delivery | undefined>
}

export interface AppDependencies extends SystemOptions {
  telemetry: Pick<TelemetryStore, 'reader' | 'setApdex' | 'usage'>
  control: ControlStore
  privacy: PrivacyRulesApplied
  backups: Pick<Backups, 'start' | 'find'>
  pictures: Pick<PictureMaker, 'draw'>
  authenticator: Authenticator
  notifications: NotificationTests
  /** Removes the telemetry of Grids that were removed, in its own time. */
  removals: { finish(): Promise<void> }
  /** What telemetry of all Grids together may take of the disk. */
  diskBudgetBytes: number
  clock: () => number
  logger: FastifyBaseLogger
  limits: RateLimitDefaults & {
    /** How many questions of one caller run at once, and how long more of them wait. 4, and 5 seconds. */
    questionsPerCaller?: number
    questionWaitMs?: number
  }
  corsOrigins: string[]
  /** Addresses or networks whose `X-Forwarded-For` is believed. */
  trustedProxies: string[]
  publicUrl: string
  https?: HttpsOptions
  oauth?: OAuthMount
  /** Routes with rules of their own: neither version nor authentication nor limits of the API hold for them. */
  plugins?: FastifyPluginAsync[]
}
