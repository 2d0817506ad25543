/** Says what is going on; on standard error, so that standard output holds the tables alone. */
export function say(text: string): void {
  console.error(`· ${text}`)
}
