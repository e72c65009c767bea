import { expect, test } from 'vitest'
import { ALL_TOOLS, ask, type ToolUse, user } from './kit.ts'

const NONE: string[] = []

/** What is asked, and what it must come to: tool calls with exactly this input, or words of the answer. */
type Row = {
  request: string
  tools?: string[]
  calls?: [string, Record<string, unknown>][]
  says?: (string | RegExp)[]
}

const rows: Row[] = [
  // greeting and help
  { request: 'Hello!', says: ['Hello!', 'built-in offline model'] },
  { request: 'hey there', says: ['help'] },
  { request: 'Thanks!', says: ['welcome'] },
  { request: 'who are you?', says: ['offline model', 'Settings → Model providers'] },
  { request: '', says: ['Hello'] },
  { request: 'what can you do?', says: ['Remember', 'To-do list', 'Settings → Model providers', 'Ollama'] },
  { request: 'help', tools: NONE, says: ['Not available in this conversation', 'remember', 'Calculate'] },
  { request: 'How do I add a provider?', says: ['Settings → Model providers', 'ollama serve'] },

  // remember
  { request: 'Remember that I like green tea.', calls: [['memory_save', { content: 'I like green tea' }]] },
  {
    request: 'please remember: the wifi password is hunter2',
    calls: [['memory_save', { content: 'the wifi password is hunter2' }]],
  },
  {
    request: "don't forget that Anna's birthday is on 3 May",
    calls: [['memory_save', { content: "Anna's birthday is on 3 May" }]],
  },
  { request: 'my name is Sam', calls: [['memory_save', { content: 'My name is Sam', importance: 0.8 }]] },
  {
    request: 'I like hiking in the Alps',
    calls: [['memory_save', { content: 'I like hiking in the Alps' }]],
  },
  { request: 'My sister lives in Oslo', calls: [['memory_save', { content: 'My sister lives in Oslo' }]] },
  {
    request: 'remember that I like tea and coffee',
    calls: [['memory_save', { content: 'I like tea and coffee' }]],
  },
  { request: 'remember that I like tea', tools: NONE, says: ['cannot do that', 'memory_save'] },
  { request: 'remember', says: ['What should I remember?'] },

  {
    request: 'I have a meeting tomorrow at 9',
    calls: [['memory_save', { content: 'I have a meeting tomorrow at 9 (said on Saturday, 21 November 2026)' }]],
  },

  // recall
  { request: 'what do you know about tea?', calls: [['memory_search', { query: 'tea', limit: 5 }]] },
  { request: "What's my name?", calls: [['memory_search', { query: "What's my name", limit: 5 }]] },
  {
    request: 'do you remember where I parked?',
    calls: [['memory_search', { query: 'where I parked', limit: 5 }]],
  },
  {
    request: 'When is my dentist appointment?',
    calls: [['memory_search', { query: 'When is my dentist appointment', limit: 5 }]],
  },
  {
    request: 'search your memory for passwords',
    calls: [['memory_search', { query: 'passwords', limit: 5 }]],
  },

  // fetch
  { request: 'https://example.com/news', calls: [['web_fetch', { url: 'https://example.com/news' }]] },
  {
    request: 'fetch https://example.com and summarise it',
    calls: [['web_fetch', { url: 'https://example.com' }]],
  },
  { request: 'summarise example.com', calls: [['web_fetch', { url: 'https://example.com' }]] },
  { request: 'what does https://x.io say about pricing?', calls: [['web_fetch', { url: 'https://x.io' }]] },
  {
    request: 'open https://example.com',
    calls: [['browser', { action: 'open', url: 'https://example.com' }]],
  },
  {
    request: 'open https://example.com',
    tools: ['web_fetch'],
    calls: [['web_fetch', { url: 'https://example.com' }]],
  },
  {
    request: 'read https://example.com',
    tools: ['browser'],
    calls: [['browser', { action: 'read', url: 'https://example.com' }]],
  },
  { request: 'fetch https://example.com', tools: NONE, says: ['cannot do that', 'web_fetch'] },
  { request: 'summarise the page', says: ['Which text should I summarise?'] },
  { request: 'fetch a page', says: ['Which web address should I read?'] },

  // calculate, dates, time
  { request: '2+2', says: ['2 + 2 = 4'] },
  { request: "what's 15% of 80?", says: ['15% of 80 = 12'] },
  { request: 'what is 5 / 0?', says: ['cannot compute', 'dividing by zero'] },
  { request: 'calculate', says: ['What should I calculate?'] },
  { request: 'what day is 3 March 2027?', says: ['That is Wednesday, 3 March 2027.'] },
  { request: "what's the date on Friday?", says: ['Friday, 27 November 2026'] },
  {
    request: 'set a timer for 10 minutes',
    calls: [
      [
        'schedule_job',
        { name: 'The timer is up', goal: 'Deliver this reminder: the timer is up', when: 'in 10 minutes' },
      ],
    ],
  },
  { request: "what is tomorrow's date?", says: ['22 November 2026'] },
  { request: 'what time is it?', calls: [['time', {}]] },
  { request: 'what time is it in Tokyo?', calls: [['time', { timezone: 'Asia/Tokyo' }]] },
  { request: 'what time is it in Tokyo?', tools: NONE, says: ['21:00', 'Asia/Tokyo'] },
  { request: "what's the date?", tools: NONE, says: ['Saturday, 21 November 2026'] },
  { request: 'time in Atlantis', says: ['do not know the time zone of "Atlantis"'] },

  // files
  { request: 'list the files', calls: [['files', { action: 'list' }]] },
  { request: "what's in the notes folder?", calls: [['files', { action: 'list', path: 'notes' }]] },
  { request: 'read notes/todo.md', calls: [['files', { action: 'read', path: 'notes/todo.md' }]] },
  {
    request: 'Write a file tea.md that lists green tea and black tea',
    calls: [['files', { action: 'write', path: 'tea.md', content: 'green tea and black tea' }]],
  },
  {
    request: 'write "hello world" to notes.md',
    calls: [['files', { action: 'write', path: 'notes.md', content: 'hello world' }]],
  },
  { request: 'list the files', tools: NONE, says: ['cannot do that', 'the tool files'] },

  {
    request: 'overwrite notes.txt with hello',
    calls: [['files', { action: 'write', path: 'notes.txt', content: 'hello', overwrite: true }]],
  },
  {
    request: 'create notes.txt with hello',
    calls: [['files', { action: 'write', path: 'notes.txt', content: 'hello' }]],
  },
  {
    request: 'add three to three.txt',
    calls: [['files', { action: 'append', path: 'three.txt', content: 'three' }]],
  },
  {
    request: 'get https://x.io, summarise it and save it to s.md',
    calls: [['web_fetch', { url: 'https://x.io' }]],
  },

  // to-do list
  { request: 'add milk to my list', calls: [['todo', { action: 'add', text: 'milk' }]] },
  { request: "what's on my to-do list?", calls: [['todo', { action: 'list' }]] },
  { request: 'remember to buy milk', calls: [['todo', { action: 'add', text: 'buy milk' }]] },
  {
    request: 'remember to buy milk',
    tools: ['memory_save'],
    calls: [['memory_save', { content: 'to buy milk' }]],
  },

  { request: 'create a file', says: ['What should the file be called?'] },

  // schedule
  {
    request: 'remind me to call Anna tomorrow at 5pm',
    calls: [['schedule_job', { name: 'Call Anna', goal: 'Deliver this reminder: call Anna', when: 'tomorrow at 5pm' }]],
  },
  {
    request: 'every weekday at 9 fetch https://x.io and summarise it',
    calls: [
      [
        'schedule_job',
        {
          name: 'Fetch https://x.io and summarise it',
          goal: 'fetch https://x.io and summarise it',
          when: 'every weekday at 9',
        },
      ],
    ],
  },
  {
    request: 'remind me the day after tomorrow at 9 to vote',
    calls: [
      ['schedule_job', { name: 'Vote', goal: 'Deliver this reminder: vote', when: 'the day after tomorrow at 9' }],
    ],
  },
  { request: 'remind me to call Anna', says: ['When should I remind you to call Anna?'] },
  { request: 'remind me in 20 minutes', says: ['What should I remind you of in 20 minutes?'] },
  {
    request: 'remind me to call Anna tomorrow',
    tools: NONE,
    says: ['cannot do that', 'schedule_job'],
  },
  { request: 'list my jobs', calls: [['list_jobs', {}]] },
  { request: 'do I have any reminders?', calls: [['list_jobs', {}]] },
  { request: 'cancel the backup job', tools: ['cancel_job'], calls: [['cancel_job', { name: 'backup' }]] },
  { request: 'cancel the backup job', calls: [['list_jobs', {}]] },
  { request: 'Deliver this reminder: call Anna', says: ['Reminder: call Anna'] },

  // plans, texts, projects, workflows, tools by name
  {
    request: 'plan a trip to Rome: book flights, find a hotel, then pack',
    says: ['1. Book flights', '3. Pack (after 1 and 2)', 'Shall I create the project "A trip to Rome"?'],
  },
  { request: 'plan world peace', says: ['Which steps does "World peace" take?'] },
  {
    request: 'extract entities: Anna met Tim Cook in Berlin',
    says: ['Person: Anna, Tim Cook', 'Place: Berlin'],
  },
  {
    request: 'create a project called Garden: plant the beds',
    calls: [['project', { action: 'create', name: 'Garden', description: 'plant the beds' }]],
  },

  // limits
  {
    request: 'what is the capital of France?',
    tools: NONE,
    says: ['cannot answer that from knowledge', 'Settings → Model providers'],
  },
  { request: 'asdf qwer zxcv', says: ['did not understand', 'remember that I like green tea'] },

  // several at once
  {
    request: 'remember that I like tea and then tell me the time',
    calls: [
      ['memory_save', { content: 'I like tea' }],
      ['time', {}],
    ],
  },
  {
    request: 'Hi, what time is it, and list my files',
    calls: [
      ['time', {}],
      ['files', { action: 'list' }],
    ],
  },
  { request: "what's 2+2 and what's 3*3?", says: ['2 + 2 = 4', '3 * 3 = 9'] },
  {
    request: 'what is 2+2? And flurb the wibble.',
    says: ['2 + 2 = 4', 'did not understand "flurb the wibble'],
  },

  // not in the list: said plainly, never guessed
  { request: 'buy milk', says: ['did not understand that, or cannot do it', 'Settings → Model providers'] },
  { request: 'delete the file a.txt', says: ['cannot do it'] },
  { request: 'replace "red" with "blue" in a.txt', says: ['cannot do it'] },
  { request: '5 miles in km', says: ['cannot do it'] },
  { request: 'convert 100 usd to eur', says: ['cannot do it'] },
  { request: 'write a poem about autumn', says: ['cannot do it'] },
  { request: 'remembr that I like green beer', says: ['cannot do it'] },
  { request: '🦀🦀🦀 ???', says: [/./] },

  // other languages
  { request: 'Привет, как дела?', says: ['понимает только английский'] },
  { request: '東京は今何時ですか', says: ['英語しか理解できません'] },
  { request: '记住我喜欢茶', says: ['只懂英语'] },
  { request: '안녕하세요', says: ['영어만'] },
  { request: 'Merke dir, dass ich Tee mag', says: ['plain English', 'for other languages'] },
]

test.each(rows)('$request', async ({ request, tools = ALL_TOOLS, calls, says = [] }) => {
  const answer = await ask([user(request)], tools)

  if (calls) expect(answer.calls).toEqual(calls.map(([name, input]): ToolUse => ({ name, input })))
  else expect(answer.calls).toEqual([])
  for (const words of says) expect(answer.text).toMatch(words)
})

test('never calls a tool that is not offered', async () => {
  for (const { request } of rows) {
    for (const tools of [NONE, ['time'], ['memory_search', 'list_jobs']]) {
      const { calls } = await ask([user(request)], tools)
      expect(calls.filter(({ name }) => !tools.includes(name))).toEqual([])
    }
  }
})
