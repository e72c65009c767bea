import { expect, test } from 'vitest'
import { addressNames, keptAddress, SecretNames, withoutSecrets } from '../../runtime/browser/recordings/steps.ts'

test.each([
  '?key=C-major',
  '?code=DE',
  '?code=94110',
  '?key=name&order=asc',
  '?sort_key=created_at',
  '?auth=1',
  '?session=2026-spring-evening',
  '?code=WINTER2026',
  '?sid=main',
  '?tokens=500',
  '?q=what+is+a+token',
])('%s is kept as it is', (search) => {
  expect(withoutSecrets(`https://a.example/${search}`)).toBe(`https://a.example/${search}`)
})

test.each([
  ['?token=a', '?token={{token}}'],
  ['?api_key=abc', '?api_key={{api_key}}'],
  ['?key=AIzaSyD4x9Kq2mZt7Lw0pRvB3nC8yH6jF1gE5sU', '?key={{key}}'],
  ['?code=4%2F0AX4XfWhT9b2c7Qd1', '?code={{code}}'],
  ['?sid=8f3a9c1e7b2d4f60', '?sid={{sid}}'],
  ['?key=550e8400-e29b-41d4-a716-446655440000', '?key={{key}}'],
  ['?x=1&access_token=abc#id_token=def', '?x=1&access_token={{access_token}}#id_token={{id_token}}'],
  ['?q=sk-abcdefghijklmnop', '?q={{q}}'],
  ['?password=', '?password='],
])('%s becomes %s', (search, kept) => {
  expect(withoutSecrets(`https://a.example/${search}`)).toBe(`https://a.example/${kept}`)
})

test('user and password before the host are left out', () => {
  expect(withoutSecrets('https://ada:secret@a.example/')).toBe('https://a.example/')
})

test('the same parameter with another value is another variable', () => {
  const secrets = new SecretNames()
  const kept = ['a', 'b', 'a'].map((value) => keptAddress(`https://a.example/?token=${value}`, secrets))
  expect(kept.map((address) => addressNames(address))).toEqual([['token'], ['token_2'], ['token']])
})

test("braces in a page's own address are not a variable", () => {
  expect(addressNames('https://a.example/?q={{name}}&id={{}}')).toEqual([])
})
