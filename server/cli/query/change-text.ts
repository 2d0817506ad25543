/** With its sign, also where it is positive. */
export function changeText(percent: number): string {
  return `${percent > 0 ? '+' : ''}${percent} %`
}
