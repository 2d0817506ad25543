/** A setting that cannot be used. The message is one line for the person who starts the program. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
