import { describe, expect, it } from 'vitest'
import { logTemplate, mergeTemplates } from './log-template.ts'

describe('logTemplate', () => {
  it.each([
    ['payment 17 of customer c-99 took 12.5 ms', 'payment <*> of customer <*> took <*> ms'],
    ['GET /cart/7f3 from 10.0.0.7:8080 done', 'GET <*> from <*> done'],
    ['order 7b0e4a52-52a6-4b8a-9c63-52b2ff6f0001 stored', 'order <*> stored'],
    ['user "Ann Lee" <ann@example.org> signed in', 'user <*> <<*>> signed in'],
    ['found rows: [Row(id=1, name=a), Row(id=2)]', 'found rows: <*>'],
    ['retry=true, attempts left', 'retry=<*>, attempts left'],
    ['connection refused\n  at connect (net.js:1)', 'connection refused'],
    ['{"level":"info","msg":"cache miss for key 5"}', 'cache miss for key <*>'],
    ['{"b":1,"a":2}', 'a b'],
    ['{ not json', '{ not json'],
    ['', ''],
  ])('of %j is %j', (body, template) => {
    expect(logTemplate(body)).toBe(template)
  })

  it('keeps to a few words, however long the text is', () => {
    expect(logTemplate('word '.repeat(10_000)).split(' ')).toHaveLength(17)
  })
})

describe('mergeTemplates', () => {
  it('takes a word that differs for a variable where most words are equal', () => {
    const merged = mergeTemplates([
      'station named Nanjing found',
      'station named Suzhou found',
      'no station today sorry',
    ])
    expect([...merged.values()]).toEqual([
      'station named <*> found',
      'station named <*> found',
      'no station today sorry',
    ])
  })

  it('keeps statements apart that differ in length or in most words', () => {
    const merged = mergeTemplates(['stored', 'stored again', 'order is bad now', 'order was never here'])
    expect(new Set(merged.values()).size).toBe(4)
  })
})
