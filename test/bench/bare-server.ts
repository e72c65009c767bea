/**
 * The baseline of `http`: a bare `node:http` server that checks the hash of the key, runs the same query through the
 * same driver and writes the same JSON. Arguments: database file, SHA-256 of the key. Prints its port.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import Database from 'libsql'

const [file = ':memory:', expected = ''] = process.argv.slice(2)
const db = new Database(file)
db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
db.exec('CREATE TABLE IF NOT EXISTS bare_writes (id TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT')
const keys = db.prepare('SELECT hash FROM api_keys WHERE lookup = ?')
const page = db.prepare('SELECT * FROM episodes ORDER BY created_at DESC, id DESC LIMIT 20 OFFSET 0')
const count = db.prepare('SELECT count(*) AS total FROM episodes')
const insert = db.prepare('INSERT INTO bare_writes (id, content) VALUES (?, ?)')

let written = 0
const server = createServer((request, response) => {
  const key = request.headers.authorization?.slice(7) ?? ''
  const found = hash('sha256', key)
  const [stored] = keys.all([found.slice(0, 8)]) as { hash: string }[]
  const held = stored?.hash ?? expected
  if (!timingSafeEqual(Buffer.from(found), Buffer.from(held))) return void response.writeHead(401).end()
  if (request.method === 'POST') return void write()
  const [total] = count.all([]) as { total: number }[]
  const episodes = (page.all([]) as Record<string, unknown>[]).map((row) => ({
    ...row,
    topics: JSON.parse(String(row.topics)),
  }))
  answer(200, { episodes, ...total, limit: 20, offset: 0 })

  function write() {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { content } = JSON.parse(Buffer.concat(chunks).toString()) as { content: string }
      written += 1
      insert.run([`${process.pid}-${written}`, content])
      answer(201, { id: written, content })
    })
  }

  function answer(status: number, body: unknown) {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as { port: number }).port))
