import { expect, test } from 'vitest'
import { Locomo } from '../bench/memory/locomo.ts'
import { scoresOf } from '../bench/memory/metrics.ts'

test('a file of the LoCoMo benchmark is read as conversations', () => {
  const sample = {
    sample_id: 'conv-1',
    conversation: {
      speaker_a: 'Ann',
      speaker_b: 'Ben',
      session_1_date_time: '1:56 pm on 8 May, 2023',
      session_1: [
        { speaker: 'Ann', dia_id: 'D1:1', text: 'Look!', blip_caption: 'a boat', img_url: ['x'] },
        { speaker: 'Ben', dia_id: 'D1:2', text: 'Nice.' },
      ],
      session_2_date_time: '12:05 am on 1 June, 2023',
    },
    qa: [
      { question: 'What did Ann show?', answer: 'a boat', evidence: ['D1:1; D1:2'], category: 4 },
      { question: 'Who?', adversarial_answer: 'Ben', category: 5 },
    ],
  }

  expect(Locomo.parse([sample])).toEqual([
    {
      id: 'conv-1',
      sessions: [
        {
          id: 'session_1',
          date: '2023-05-08T13:56:00.000Z',
          turns: [
            { id: 'D1:1', speaker: 'Ann', text: 'Look! (shares a picture of a boat)' },
            { id: 'D1:2', speaker: 'Ben', text: 'Nice.' },
          ],
        },
      ],
      questions: [
        {
          question: 'What did Ann show?',
          evidence: ['D1:1', 'D1:2'],
          category: 'category 4',
          scope: undefined,
        },
        { question: 'Who?', evidence: [], category: 'category 5', scope: undefined },
      ],
    },
  ])
})

test('scores of a ranking', () => {
  expect(scoresOf(['x', 'a', 'y', 'z', 'w', 'b'], new Set(['a', 'b']))).toEqual({
    r5: 0.5,
    r10: 1,
    r20: 1,
    ndcg10: expect.closeTo((1 / Math.log2(3) + 1 / Math.log2(7)) / (1 + 1 / Math.log2(3))),
    mrr: 0.5,
  })
  expect(scoresOf(['x'], new Set(['a']))).toEqual({ r5: 0, r10: 0, r20: 0, ndcg10: 0, mrr: 0 })
})
