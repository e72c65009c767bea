import { expect, test } from 'vitest'
import { ALL_TOOLS, ask, type ToolUse, user } from './kit.ts'

/** Requests in other words than those the rules were written with. */
type Row = {
  request: string
  tools?: string[]
  calls?: [string, Record<string, unknown>][]
  says?: (string | RegExp)[]
}

const search = (query: string): Row['calls'] => [['memory_search', { query, limit: 5 }]]

const rows: Row[] = [
  { request: 'Hey, quick one: what time is it in London?', calls: [['time', { timezone: 'Europe/London' }]] },
  {
    request: 'Could you remember that the plumber comes on Tuesday?',
    calls: [['memory_save', { content: 'the plumber comes on Tuesday (said on Saturday, 21 November 2026)' }]],
  },
  {
    request: 'pls save to memory: locker number is 88',
    calls: [['memory_save', { content: 'locker number is 88' }]],
  },
  { request: 'I hate mushrooms.', calls: [['memory_save', { content: 'I hate mushrooms' }]] },
  { request: "I'm vegetarian", calls: [['memory_save', { content: "I'm vegetarian" }]] },
  {
    request: 'Our wedding anniversary is 12 June',
    calls: [['memory_save', { content: 'Our wedding anniversary is 12 June' }]],
  },
  { request: 'What did I tell you about the plumber?', calls: search('the plumber') },
  { request: 'Do I like mushrooms?', calls: search('Do I like mushrooms') },
  { request: 'Remind me what my locker number is', calls: search('what my locker number is') },
  {
    request: 'what have I told you',
    calls: [
      [
        'memory_search',
        {
          query: 'my name, birthday, family, sister, brother, favourite, allergic, I like, I live, I work, I prefer',
          limit: 20,
        },
      ],
    ],
  },
  {
    request: 'Please read https://blog.example.org/post?id=4 and tell me the main points',
    calls: [['web_fetch', { url: 'https://blog.example.org/post?id=4' }]],
  },
  {
    request: "I'd like you to summarise https://example.com/long.",
    calls: [['web_fetch', { url: 'https://example.com/long' }]],
  },
  {
    request: 'Visit example.org',
    tools: ['browser'],
    calls: [['browser', { action: 'open', url: 'https://example.org' }]],
  },
  { request: 'what is three times four?', says: ['3 * 4 = 12'] },
  { request: 'how much is 1299 minus 15%?', says: ['1,104.15'] },
  { request: 'What date is it in 45 days?', says: ['5 January 2027'] },
  { request: "What's today's date?", tools: [], says: ['21 November 2026'] },
  { request: 'which files do I have?', calls: [['files', { action: 'list' }]] },
  { request: 'print the contents of src/app.ts', calls: [['files', { action: 'read', path: 'src/app.ts' }]] },
  {
    request: 'write to diary.md: today was sunny and calm',
    calls: [['files', { action: 'write', path: 'diary.md', content: 'today was sunny and calm' }]],
  },
  { request: 'new task: renew passport', calls: [['todo', { action: 'add', text: 'renew passport' }]] },
  {
    request: 'add "fix the gate, then paint it" to my to-do list',
    calls: [['todo', { action: 'add', text: 'fix the gate, then paint it' }]],
  },
  { request: 'show me my tasks', calls: [['todo', { action: 'list' }]] },
  {
    request: 'Ping me in an hour to move the car',
    calls: [
      ['schedule_job', { name: 'Move the car', goal: 'Deliver this reminder: move the car', when: 'in an hour' }],
    ],
  },
  {
    request: 'remind me every Sunday evening to water the plants',
    calls: [
      [
        'schedule_job',
        {
          name: 'Water the plants',
          goal: 'Deliver this reminder: water the plants',
          when: 'every Sunday evening',
        },
      ],
    ],
  },
  {
    request: 'At 8:30 every morning, tell me the weather from https://wttr.example',
    calls: [
      [
        'schedule_job',
        {
          name: 'Tell me the weather from https://wttr.example',
          goal: 'tell me the weather from https://wttr.example',
          when: 'At 8:30 every morning',
        },
      ],
    ],
  },
  {
    request: 'set an alarm for 6:45 tomorrow',
    calls: [['schedule_job', { name: 'The alarm', goal: 'Deliver this reminder: the alarm', when: '6:45 tomorrow' }]],
  },
  { request: 'show all my reminders', calls: [['list_jobs', {}]] },
  { request: 'cancel my 8am alarm', calls: [['list_jobs', {}]] },
  {
    request: 'Help me plan a dinner: choose recipes, buy ingredients, then cook',
    says: ['1. Choose recipes', '3. Cook (after 1 and 2)'],
  },
  {
    request: 'find the people in this text: Yesterday Maria Lopez called Tim Cook.',
    says: ['Maria Lopez, Tim Cook'],
  },
  { request: 'is the project Garden done?', calls: [['project', { action: 'status', name: 'Garden' }]] },
  { request: 'Who painted the Mona Lisa?', tools: [], says: ['cannot answer that from knowledge'] },
  { request: 'summarize this', says: ['Which text should I summarise?'] },
  { request: 'list my files and what is 7*6', calls: [['files', { action: 'list' }]] },
  {
    request: 'my name is Ada and I live in Oslo',
    calls: [['memory_save', { content: 'My name is Ada', importance: 0.8 }]],
  },
  { request: 'blorptastic', says: ['did not understand'] },
]

test.each(rows)('$request', async ({ request, tools = ALL_TOOLS, calls = [], says = [] }) => {
  const answer = await ask([user(request)], tools)

  expect(answer.calls).toEqual(calls.map(([name, input]): ToolUse => ({ name, input })))
  for (const words of says) expect(answer.text).toMatch(words)
})
