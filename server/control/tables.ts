import type { Generated } from 'kysely'

/** Rows as they are in the database. Times are milliseconds since the epoch, truths 0 or 1, lists and maps JSON. */
export interface ControlTables {
  audit: {
    id: Generated<number>
    at_ms: number
    grid_id: string | null
    caller: string
    action: string
    target: string
    change: string
  }
  grids: {
    id: string
    name: string
    created_at_ms: number
    plan: string
    subscription_state: string
    raw_retention_days: number
    aggregate_retention_days: number
    disk_share_percent: number | null
    records_from_ms: number
    rate_limit_caller: number | null
    rate_limit_grid: number | null
    ingest_quota: number | null
    apdex: string
  }
  removed_grids: {
    id: string
    removed_at_ms: number
    telemetry_removed: number
  }
  api_keys: {
    id: string
    grid_id: string
    name: string
    prefix: string
    secret_hash: string
    role: string
    scopes: string
    created_at_ms: number
    expires_at_ms: number | null
    revoked_at_ms: number | null
  }
  users: {
    id: string
    email: string
    name: string
    password_hash: string
    admin: number
    created_at_ms: number
  }
  /** By the hash of an address, whether or not anyone has it, so that locking out tells nobody who exists. */
  sign_in_failures: {
    email_hash: string
    failed_at_ms: string
    locked_until_ms: number
    forget_at_ms: number
  }
  clients: {
    id: string
    name: string
    secret_hash: string
    admin: number
    created_at_ms: number
  }
  members: {
    grid_id: string
    subject: string
    role: string
    created_at_ms: number
  }
  settings: {
    key: string
    value: string
  }
  oidc_payloads: {
    model: string
    id_hash: string
    payload: string
    uid: string | null
    grant_id: string | null
    account_id: string | null
    consumed_at_ms: number | null
    expires_at_ms: number
  }
  alert_rules: {
    id: string
    grid_id: string
    name: string
    metric: string
    comparator: string
    threshold: number
    recovery_threshold: number
    service_name: string | null
    window_minutes: number
    duration_minutes: number
    hold_minutes: number
    min_requests: number
    severity: string
    no_data: string
    channels: string
    enabled: number
    revision: number
    created_at_ms: number
    updated_at_ms: number
  }
  alerts: {
    id: string
    grid_id: string
    rule_id: string
    rule_name: string
    metric: string
    condition: string
    severity: string
    service_name: string
    since_ms: number
    triggered_at_ms: number | null
    value: number
    judged_at_ms: number
    recovering_since_ms: number | null
    acknowledged_at_ms: number | null
    acknowledged_by: string
    acknowledgement_note: string
    resolved_at_ms: number | null
    resolution: string | null
    /** 0 nothing, 1 that it fires, 2 everything there is to tell. */
    told: number
    /** 0 nobody, 1 `notified_channels` that it fires, 2 everybody of everything. */
    notified: number
    notified_channels: string
  }
  charts: {
    id: string
    grid_id: string
    title: string
    chart_type: string
    service_name: string | null
    metrics: string
    filter: string
    group_by: string
    unit: string | null
    created_at_ms: number
    updated_at_ms: number
  }
  dashboards: {
    id: string
    grid_id: string
    title: string
    description: string
    created_at_ms: number
    updated_at_ms: number
  }
  /** Charts on dashboards, in the order of `place`. */
  dashboard_tiles: {
    dashboard_id: string
    place: number
    chart_id: string
    row: number
    col: number
    width: number
    height: number
  }
  /** What the value of an alert was, from each of these moments on. */
  alert_values: {
    alert_id: string
    at_ms: number
    value: number
  }
  events: {
    grid_id: string
    key: string
    at_ms: number
    type: string
    severity: string
    service_name: string
    description: string
    details: string
    source: string
    recorded_at_ms: number
  }
  /** Hours of telemetry that were looked through for events, in the version that they had then. */
  event_hours: {
    grid_id: string
    hour_start_ms: number
    version: string
    state: string | null
  }
  /** Services, and endpoints of services, that were ever seen. */
  event_sightings: {
    grid_id: string
    service_name: string
    operation_name: string
    first_ms: number
    last_ms: number
  }
  /** Where notifications go. `secret` is what signs, opens or is the way there. */
  channels: {
    id: string
    grid_id: string
    name: string
    target: string
    secret: string
    created_at_ms: number
    updated_at_ms: number
  }
  /** What waits to be sent and what was sent, in this order. */
  deliveries: {
    number: Generated<number>
    id: string
    channel_id: string
    kind: string
    state: string
    alerts: string
    alert_count: number
    message: string | null
    created_at_ms: number
    attempts: number
    last_attempt_at_ms: number | null
    next_attempt_at_ms: number
    delivered_at_ms: number | null
    status_code: number | null
    error: string
  }
  silences: {
    id: string
    grid_id: string
    rule_id: string | null
    service_name: string | null
    reason: string
    created_by: string
    starts_at_ms: number
    ends_at_ms: number
  }
  /** In the order of their numbers. */
  privacy_rules: {
    number: Generated<number>
    id: string
    grid_id: string
    name: string
    key: string | null
    pattern: string | null
    preset: string | null
    places: string
    action: string
    enabled: number
    created_at_ms: number
    updated_at_ms: number
  }
  /** What each Grid's hashes are made with. */
  privacy_secrets: {
    grid_id: string
    secret: string
  }
  /** Deletions of records. `value` is null once they are finished. */
  deletions: {
    number: Generated<number>
    id: string
    grid_id: string
    attribute: string
    value: string | null
    signals: string
    state: string
    requested_by: string
    created_at_ms: number
    started_at_ms: number | null
    finished_at_ms: number | null
    hours_done: number
    hours_total: number | null
    spans: number
    log_records: number
    metric_points: number
    error: string
  }
}
