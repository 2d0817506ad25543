import type { AlertTransition, DueDelivery } from '../control/notification-store.ts'
import { shownValue } from '../diagnostics/alerts/condition-text.ts'
import type { Diagnosis } from '../diagnostics/diagnosis/diagnosis.ts'
import { isoOfNs } from '../domain/time-window.ts'
import { fittingDiagnosis } from './fitting-diagnosis.ts'

/** What is told, as a webhook receives it. The other kinds are made of it. */
export interface NotificationMessage {
  deliveryId: string
  type: 'alerts' | 'test'
  createdAt: string
  grid: { gridSecondaryId: string; name: string }
  alerts: ToldAlert[]
}

export interface ToldAlert {
  id: string
  status: 'firing' | 'resolved'
  ruleId: string
  ruleName: string
  severity: string
  serviceName: string
  metric: string
  condition: string
  currentValue: number
  since: string
  triggeredAt: string
  resolvedAt: string | null
  resolution: string | null
  link: string
  /** Absent where none fits. */
  diagnosis?: ToldDiagnosis
}

interface ToldDiagnosis {
  cause: string
  confidence: number
  severity: string
  affectedServices: string[]
  evidence: string[]
  firstDetected: string
}

const LIMITS = { evidenceMax: 10, servicesMax: 20, textCharsMax: 1000 }

export function alertsMessage(
  { id, channel, createdAtMs, alerts }: Pick<DueDelivery, 'id' | 'channel' | 'createdAtMs' | 'alerts'>,
  gridName: string,
  diagnoses: Diagnosis[],
  publicUrl: string,
): NotificationMessage {
  return {
    deliveryId: id,
    type: 'alerts',
    createdAt: isoOfMs(createdAtMs),
    grid: { gridSecondaryId: channel.gridId, name: gridName },
    alerts: alerts.map((alert) => toldAlert(alert, channel.gridId, diagnoses, publicUrl)),
  }
}

export function testMessage(
  deliveryId: string,
  grid: { gridSecondaryId: string; name: string },
  nowMs: number,
): NotificationMessage {
  return { deliveryId, type: 'test', createdAt: isoOfMs(nowMs), grid, alerts: [] }
}

function toldAlert(alert: AlertTransition, gridId: string, diagnoses: Diagnosis[], publicUrl: string): ToldAlert {
  const diagnosis = alert.transition === 'firing' ? fittingDiagnosis(alert.serviceName, diagnoses) : undefined
  return {
    id: alert.alertId,
    status: alert.transition,
    ruleId: alert.ruleId,
    ruleName: alert.ruleName,
    severity: alert.severity,
    serviceName: alert.serviceName,
    metric: alert.metric,
    condition: alert.condition,
    currentValue: shownValue(alert.metric, alert.value),
    since: isoOfMs(alert.sinceMs),
    triggeredAt: isoOfMs(alert.triggeredAtMs),
    resolvedAt: alert.resolvedAtMs === null ? null : isoOfMs(alert.resolvedAtMs),
    resolution: alert.resolution,
    link: `${publicUrl}/apm/grids/${gridId}/alerts/${alert.alertId}?api-version=2.0`,
    ...(diagnosis && { diagnosis: toldDiagnosis(diagnosis) }),
  }
}

function toldDiagnosis(diagnosis: Diagnosis): ToldDiagnosis {
  const { evidenceMax, servicesMax, textCharsMax } = LIMITS
  const short = (text: string) => text.slice(0, textCharsMax)
  return {
    cause: short(diagnosis.cause),
    confidence: diagnosis.confidence,
    severity: diagnosis.severity,
    affectedServices: diagnosis.affectedServices.slice(0, servicesMax).map(short),
    evidence: diagnosis.evidence.slice(0, evidenceMax).map(short),
    firstDetected: isoOfNs(diagnosis.firstDetectedNs),
  }
}

function isoOfMs(ms: number): string {
  return new Date(ms).toISOString()
}
