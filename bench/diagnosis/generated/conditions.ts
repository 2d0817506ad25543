/** Under which circumstances an incident happens, beside what happens. */
export const CONDITIONS = ['plain', 'low traffic', 'partial instrumentation', 'sampled traces'] as const
export type Condition = (typeof CONDITIONS)[number]
