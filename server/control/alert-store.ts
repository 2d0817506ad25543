import type { AlertRule, AlertRuleSettings, AlertSeverity } from '../domain/alert-rule.ts'

/** Why an alert ended. */
export const RESOLUTIONS = ['recovered', 'no data', 'rule changed', 'rule removed'] as const
export type Resolution = (typeof RESOLUTIONS)[number]

export const ALERT_STATUSES = ['pending', 'firing', 'acknowledged', 'resolved'] as const
export type AlertStatus = (typeof ALERT_STATUSES)[number]

/** One firing of a rule for one service, from the moment its condition was first seen to hold. */
export interface Alert {
  id: string
  gridId: string
  ruleId: string
  /** These four are as they were when the alert was opened. */
  ruleName: string
  metric: string
  condition: string
  severity: AlertSeverity
  serviceName: string
  status: AlertStatus
  /** Since when the condition holds, in the data's own time. */
  sinceMs: number
  /** When it began to fire; null while it is pending. */
  triggeredAtMs: number | null
  value: number
  /** When there was last something to judge by. */
  judgedAtMs: number
  /** Since when it has recovered; null where it has not. */
  recoveringSinceMs: number | null
  acknowledgedAtMs: number | null
  acknowledgedBy: string
  acknowledgementNote: string
  resolvedAtMs: number | null
  resolution: Resolution | null
}

/** What a look at a Grid has found. */
export type AlertChange =
  | {
      kind: 'open'
      /** Nothing is opened where the rule is no longer as it was judged. */
      rule: Pick<AlertRule, 'id' | 'name' | 'metric' | 'severity' | 'revision'>
      condition: string
      serviceName: string
      sinceMs: number
      /** Null for a pending one. */
      triggeredAtMs: number | null
      value: number
    }
  | {
      kind: 'carry'
      id: string
      sinceMs: number
      triggeredAtMs: number | null
      value: number
      judgedAtMs: number
      recoveringSinceMs: number | null
    }
  | { kind: 'drop'; id: string }
  | { kind: 'resolve'; id: string; resolvedAtMs: number; resolution: Resolution; value: number }

export interface AlertFilter {
  /** `active` is firing or acknowledged. Without one: all that ever fired. */
  status?: AlertStatus | 'active'
  serviceName?: string
  ruleId?: string
  offset: number
  limit: number
}

export interface AlertPage {
  items: Alert[]
  totalCount: number
}

export interface AlertRuleStore {
  /** Fails with `AlreadyExists` where the name is taken, and with `RecordRefused` where there are too many. */
  create(gridId: string, settings: AlertRuleSettings): Promise<AlertRule>
  find(gridId: string, id: string): Promise<AlertRule | undefined>
  /** By name. */
  list(gridId: string): Promise<AlertRule[]>
  /**
   * Undefined where there is no such rule. Where it judges something else from now on, or nothing, its alerts are
   * resolved: what still holds fires anew.
   */
  update(gridId: string, id: string, settings: AlertRuleSettings, nowMs: number): Promise<AlertRule | undefined>
  /** Resolves its alerts. False where there is no such rule. */
  remove(gridId: string, id: string, nowMs: number): Promise<boolean>
}

/** Rules, alerts and their history. */
export interface AlertStore {
  rules: AlertRuleStore
  /** Pending, firing and acknowledged ones. */
  unresolved(gridId: string): Promise<Alert[]>
  /**
   * All of the changes or none, and with them what is to be told of them in the outbox. An alert that was resolved or removed in between is left alone, acknowledgements stay,
   * and beyond a limit of unresolved alerts none is opened: resolves to how many were not.
   */
  save(gridId: string, changes: AlertChange[], nowMs: number): Promise<number>
  /** Alerts that were firing at this moment, with their values and states of then; critical first, newest first. */
  activeAt(gridId: string, atMs: number): Promise<Alert[]>
  find(gridId: string, id: string): Promise<Alert | undefined>
  /** Newest first. */
  list(gridId: string, filter: AlertFilter): Promise<AlertPage>
  /** The first acknowledgement stays. Undefined where no such alert is firing. */
  acknowledge(gridId: string, id: string, by: string, note: string, nowMs: number): Promise<Alert | undefined>
  /** Alerts whose firing or resolution has not been told yet. */
  untold(gridId: string): Promise<Alert[]>
  /** These have been told of as they were given. */
  told(alerts: Alert[]): Promise<void>
  /** Removes alerts that were resolved before this moment, and the oldest beyond a limit. */
  prune(gridId: string, resolvedBeforeMs: number): Promise<void>
  /** When anyone last looked at what rules judge; undefined where nobody ever did. */
  lookedAtMs(): Promise<number | undefined>
  noteLook(nowMs: number): Promise<void>
}
