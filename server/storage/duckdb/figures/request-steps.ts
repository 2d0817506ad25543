import { StoreUnavailable } from '../../../domain/store-errors.ts'
import type { RequestStep, RequestStepQuestion } from '../../chart-reader.ts'
import type { RequestGroup, RequestQuestion } from '../../diagnostics-reader.ts'
import { questionOfSums, stepOfGroup } from '../../request-steps.ts'

export async function requestSteps(
  question: RequestStepQuestion,
  ask: (question: RequestQuestion) => Promise<RequestGroup[]>,
): Promise<RequestStep[]> {
  const sums = questionOfSums(question)
  if (sums === undefined) throw new StoreUnavailable('requests are not kept by this attribute')
  if (sums === 'nothing') return []
  return (await ask(sums)).map((group) => stepOfGroup(group, question.groupBy))
}
