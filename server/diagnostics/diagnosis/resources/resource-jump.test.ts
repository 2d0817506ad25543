import { describe, expect, it } from 'vitest'
import { windowMs } from '../../../storage/conformance/test-time.ts'
import { AT_MS, gauge, pointsOf } from '../../pressure/testing/metric-series.ts'
import { resourceJumps } from './resource-jump.ts'

const window = windowMs(AT_MS - 300_000, AT_MS)

function jumpsOf(values: number[]) {
  return resourceJumps(pointsOf(gauge('k8s.pod.cpu_limit_utilization', values)), window)
}

describe('a resource jumped where', () => {
  it('it is at its limit and was far from it before', () => {
    const [jump] = jumpsOf([0.1, 0.2, 0.1, 0.1, 0.1, 0.1, 0.99, 0.98])
    expect(jump).toMatchObject({ usualMax: 20, saturation: { type: 'cpu', serviceName: 'shop' } })
  })
})

it('may have jumped before the window, and is used up still', () => {
  const values = [0.1, 0.2, 0.1, 0.1, 0.1, 0.1, 0.99, 0.99, 0.99, 0.98]
  const last = windowMs(AT_MS - 60_000, AT_MS)
  const [jump] = resourceJumps(pointsOf(gauge('k8s.pod.cpu_limit_utilization', values)), last)
  expect(jump).toMatchObject({ usualMax: 20, saturation: { utilization: 98 } })
})

describe('a resource did not jump where', () => {
  it('it is often nearly as busy', () => {
    expect(jumpsOf([0.4, 0.55, 0.4, 0.4, 0.5, 0.4, 0.87, 0.87])).toEqual([])
  })

  it('nobody knows what is usual, or it is not at its limit', () => {
    expect(jumpsOf([0.1, 0.99, 0.99])).toEqual([])
    expect(jumpsOf([0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.5, 0.5])).toEqual([])
  })
})
