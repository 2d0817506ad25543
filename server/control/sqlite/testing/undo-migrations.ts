/** Statements that make a database as it was before Grids could have a share of the disk, for tests of earlier migrations. */
export const UNDO_DISK_SHARES = `
  alter table grids drop column disk_share_percent;
  alter table grids drop column records_from_ms;
`

/** The same of what was there before notifications. */
export const UNDO_NOTIFICATIONS = `
  ${UNDO_DISK_SHARES}
  drop table removed_grids;
  drop table privacy_rules;
  drop table privacy_secrets;
  drop table deletions;
  drop index alerts_unnotified;
  alter table alerts drop column notified;
  alter table alerts drop column notified_channels;
  drop table deliveries;
  drop table channels;
  drop table silences;
  delete from kysely_migration where name >= '0010';
`
