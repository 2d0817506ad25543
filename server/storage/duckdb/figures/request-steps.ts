import type { RequestStep, RequestStepQuestion } from '../../chart-reader.ts'
import type { RequestGroup, RequestQuestion } from '../../diagnostics-reader.ts'
import { questionOfSums, stepOfGroup } from '../../request-steps.ts'

/** From sums where they are kept by what is asked, and from spans otherwise. */
export async function requestSteps(
  question: RequestStepQuestion,
  ask: (question: RequestQuestion) => Promise<RequestGroup[]>,
  askSpans: () => Promise<RequestStep[]>,
): Promise<RequestStep[]> {
  const sums = questionOfSums(question)
  if (sums === undefined) return await askSpans()
  if (sums === 'nothing') return []
  return (await ask(sums)).map((group) => stepOfGroup(group, question.groupBy))
}
