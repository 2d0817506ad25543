import { expect, it } from 'vitest'
import { longestMentions } from './longest-mentions.ts'

const names = ['claim', 'claim-worker', 'kaha', 'api.kaha.example', 'go']
const found = (text: string) => [...longestMentions(text, names)]

it('finds whole names, wherever they stand', () => {
  expect(found('deadlock on claim.')).toEqual(['claim'])
  expect(found('connect claim-worker:8080: refused')).toEqual(['claim-worker'])
  expect(found('https://api.kaha.example/v1 and claim')).toEqual(['claim', 'api.kaha.example'])
})

it('finds none in part of a word, of a longer name or of a host', () => {
  expect(found('claims')).toEqual([])
  expect(found('claim-reader is down')).toEqual([])
  expect(found('www.kaha.org')).toEqual([])
  expect(found('GET /claim/17 failed')).toEqual([])
})

it('passes over names that are in any text', () => {
  expect(found('to go on')).toEqual([])
})
