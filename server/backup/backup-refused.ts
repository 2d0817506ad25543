/** A backup cannot be made or used like this. The message is one line that says what is wrong. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused'
}
