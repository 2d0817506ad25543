/** Statements that make a database as it was before notifications, for tests of what a migration does to what was there. */
export const UNDO_NOTIFICATIONS = `
  drop index alerts_unnotified;
  alter table alerts drop column notified;
  alter table alerts drop column notified_channels;
  drop table deliveries;
  drop table channels;
  drop table silences;
  delete from kysely_migration where name >= '0010';
`
