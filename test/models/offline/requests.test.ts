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
  { request: 'remember that I like tea', tools: NONE, says: ['cannot remember things', 'memory_save'] },
  { request: 'remember', says: ['What should I remember?'] },
  { request: 'rember that I like coffee', calls: [['memory_save', { content: 'I like coffee' }]] },

  {
    request: 'I have a meeting tomorrow at 9',
    calls: [
      ['memory_save', { content: 'I have a meeting tomorrow at 9 (said on Saturday, 21 November 2026)' }],
    ],
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
    tools: ['http_request'],
    calls: [['http_request', { method: 'GET', url: 'https://example.com' }]],
  },
  { request: 'fetch https://example.com', tools: NONE, says: ['cannot read web pages'] },
  { request: 'summarise the page', says: ['Which text should I summarise?'] },
  { request: 'fetch a page', says: ['Which web address should I read?'] },
  {
    request: 'GET https://api.example.com/v1',
    calls: [['http_request', { method: 'GET', url: 'https://api.example.com/v1' }]],
  },
  {
    request: 'POST https://api.example.com/v1 with body {"a": 1}',
    calls: [
      [
        'http_request',
        {
          method: 'POST',
          url: 'https://api.example.com/v1',
          headers: { 'content-type': 'application/json' },
          body: '{"a": 1}',
        },
      ],
    ],
  },

  // calculate, dates, time
  { request: '2+2', says: ['2 + 2 = 4'] },
  { request: "what's 15% of 80?", says: ['15% of 80 = 12'] },
  { request: 'how many ounces are in 2 kg', says: ['2 kg ≈ 70.547924 oz'] },
  { request: 'what is 5 / 0?', says: ['cannot compute', 'dividing by zero'] },
  { request: 'calculate', says: ['What should I calculate?'] },
  { request: 'convert 100 usd to eur', says: ['no exchange rates'] },
  { request: 'what day is 3 March 2027?', says: ['3 March 2027 is a Wednesday'] },
  { request: 'how many days until Christmas?', says: ['34 days until Friday, 25 December 2026'] },
  { request: '5 foot 11 in cm', says: ['180.34 cm'] },
  { request: "what is tomorrow's date?", says: ['22 November 2026'] },
  { request: 'in 3 weeks', says: ['12 December 2026 is a Saturday'] },
  { request: 'what time is it?', calls: [['time', {}]] },
  { request: 'what time is it in Tokyo?', calls: [['time', { timezone: 'Asia/Tokyo' }]] },
  { request: 'what time is it in Tokyo?', tools: NONE, says: ['21:00', 'Asia/Tokyo'] },
  { request: "what's the date?", tools: NONE, says: ['Saturday, 21 November 2026'] },
  { request: 'waht time is it', calls: [['time', {}]] },
  { request: 'what time will it be in 3 hours?', says: ['16:00 on Saturday, 21 November 2026'] },
  { request: 'time difference between Berlin and Tokyo', says: ['Tokyo is 8 hours ahead of Berlin'] },
  { request: 'day after tomorrow', says: ['23 November 2026 is a Monday'] },
  { request: 'time in Atlantis', says: ['do not know the time zone of "Atlantis"'] },

  // files
  { request: 'list the files', calls: [['files', { action: 'list' }]] },
  { request: "what's in the notes folder?", calls: [['files', { action: 'list', path: 'notes' }]] },
  { request: 'read notes/todo.md', calls: [['files', { action: 'read', path: 'notes/todo.md' }]] },
  { request: 'search my files for invoice', calls: [['files', { action: 'search', query: 'invoice' }]] },
  {
    request: 'Write a file tea.md that lists green tea and black tea',
    calls: [['files', { action: 'write', path: 'tea.md', content: 'green tea and black tea' }]],
  },
  {
    request: 'write "hello world" to notes.md',
    calls: [['files', { action: 'write', path: 'notes.md', content: 'hello world' }]],
  },
  {
    request: 'replace "red" with "blue" in a.txt',
    calls: [['files', { action: 'edit', path: 'a.txt', find: 'red', replace: 'blue' }]],
  },
  { request: 'list the files', tools: NONE, says: ['cannot work with files'] },
  { request: 'delete the file a.txt', says: ['cannot delete'] },

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

  { request: 'buy milk', says: ['cannot do that myself', 'Shall I add "buy milk" to your to-do list?'] },
  { request: 'buy milk', tools: NONE, says: ['did not understand'] },
  { request: 'create a file', says: ['What should the file be called?'] },

  // schedule
  {
    request: 'remind me to call Anna tomorrow at 5pm',
    calls: [
      [
        'schedule_job',
        { name: 'Call Anna', goal: 'Deliver this reminder: call Anna', when: 'tomorrow at 5pm' },
      ],
    ],
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
      [
        'schedule_job',
        { name: 'Vote', goal: 'Deliver this reminder: vote', when: 'the day after tomorrow at 9' },
      ],
    ],
  },
  { request: 'remind me to call Anna', says: ['When should I remind you to call Anna?'] },
  { request: 'remind me in 20 minutes', says: ['What should I remind you of in 20 minutes?'] },
  {
    request: 'remind me to call Anna tomorrow',
    tools: NONE,
    says: ['cannot schedule or remind', 'schedule_job'],
  },
  {
    request: 'remind me to check the oven in 20 minutes',
    tools: ['arm_check_in'],
    calls: [
      [
        'arm_check_in',
        {
          delay_minutes: 20,
          waiting_on: 'Deliver this reminder: check the oven',
          estimate_basis: 'The user said "in 20 minutes"',
        },
      ],
    ],
  },
  { request: 'remind me to stretch every day', tools: ['arm_check_in'], says: ['cannot repeat'] },
  {
    request: 'check back in 10 minutes whether the build is done',
    calls: [
      [
        'arm_check_in',
        {
          delay_minutes: 10,
          waiting_on: 'whether the build is done',
          estimate_basis: 'The user said "in 10 minutes"',
        },
      ],
    ],
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
  {
    request: 'run the workflow nightly-report',
    calls: [['workflow', { action: 'run', name: 'nightly-report' }]],
  },
  {
    request: 'use channel_send with {"channel": "team", "text": "hi"}',
    tools: ['channel_send'],
    calls: [['channel_send', { channel: 'team', text: 'hi' }]],
  },

  // limits
  { request: 'translate "good morning" to French', says: ['cannot translate', 'Settings → Model providers'] },
  { request: 'write a poem about autumn', says: ['cannot write creatively', 'Ollama'] },
  {
    request: 'what is the capital of France?',
    tools: NONE,
    says: ['cannot answer that from knowledge', 'Settings → Model providers'],
  },
  { request: "what's the weather in Paris?", says: ['no weather source'] },
  { request: 'forget that I like tea', says: ['Memory page'] },
  { request: 'asdf qwer zxcv', says: ['did not understand', 'remember that I like green tea'] },
  { request: '🦀🦀🦀 ???', says: [/./] },

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

  // other languages
  { request: 'Wie viel ist 15% von 80?', says: ['15% von 80 = 12'] },
  { request: 'Combien font 12 fois 12 ?', says: ['12 * 12 = 144'] },
  { request: 'Quanto fa 7 per 8?', says: ['7 * 8 = 56'] },
  { request: 'Hoeveel is 12 * 3?', says: ['12 * 3 = 36'] },
  { request: '12かける12は？', says: ['12 * 12 = 144'] },
  { request: 'Hallo', says: ['Was kann ich tun', 'Offline-Modell'] },
  { request: 'Merke dir, dass ich Tee mag', calls: [['memory_save', { content: 'ich Tee mag' }]] },
  { request: 'Was weißt du über Tee?', calls: [['memory_search', { query: 'Tee', limit: 5 }]] },
  { request: 'Wie spät ist es in Tokio?', calls: [['time', { timezone: 'Asia/Tokyo' }]] },
  { request: 'Was ist 3,5 * 2?', says: ['3,5 * 2 = 7'] },
  {
    request: 'Schreib mir ein Gedicht über den Herbst',
    says: ['nur wenige deutsche Sätze', 'Settings → Model providers'],
  },
  { request: 'Bonjour', says: ['Que puis-je faire', 'hors ligne'] },
  { request: "Souviens-toi que j'aime le thé", calls: [['memory_save', { content: "j'aime le thé" }]] },
  { request: 'Quelle heure est-il ?', tools: NONE, says: ['Il est 13:00', 'samedi 21 novembre 2026'] },
  { request: '¿Qué hora es en Nueva York?', calls: [['time', { timezone: 'America/New_York' }]] },
  { request: 'Recuerda que me gusta el té', tools: NONE, says: ['memory_save no está disponible'] },
  { request: 'Ricorda che mi piace il caffè', calls: [['memory_save', { content: 'mi piace il caffè' }]] },
  { request: 'O que sabes sobre chá?', calls: [['memory_search', { query: 'chá', limit: 5 }]] },
  { request: 'Hoe laat is het in Londen?', calls: [['time', { timezone: 'Europe/London' }]] },
  { request: 'こんにちは', says: ['オフラインモデル'] },
  { request: '東京は今何時ですか', calls: [['time', { timezone: 'Asia/Tokyo' }]] },
  { request: '记住我喜欢茶', calls: [['memory_save', { content: '我喜欢茶' }]] },
  { request: '你能做什么？', says: ['记住', '离线'] },
  { request: 'Привет, как дела?', says: ['cannot read this script'] },
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
