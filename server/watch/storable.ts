/** Telemetry has texts that the control store refuses: what they have that it does not take is replaced. */
export function storable(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\ufffd')
}
