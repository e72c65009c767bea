import { expect, test } from 'vitest'
import { extractEntities } from '../../runtime/english/entities.ts'

const texts: [string, string[]][] = [
  [
    'Maria Lopez from Siemens met Tim Cook in Berlin on 3 March.',
    ['person Maria Lopez', 'organization Siemens', 'person Tim Cook', 'place Berlin'],
  ],
  ['The Apollo project starts at the WWDC conference.', ['project Apollo', 'event WWDC conference']],
  ['See docs/report.pdf and https://a.io/x?y=1.', ['file docs/report.pdf', 'url https://a.io/x?y=1']],
  [
    'Anna works at Acme Inc. in Paris and uses a ThinkPad X1.',
    ['person Anna', 'organization Acme Inc', 'place Paris', 'product ThinkPad X1'],
  ],
  ['We talked about machine learning at the Web Summit 2026.', ['concept machine learning', 'event Web Summit 2026']],
  ['My sister Julia moved to New York and joined Google.', ['person Julia', 'place New York', 'organization Google']],
  ['The University of Oxford studied climate change.', ['organization University of Oxford', 'concept climate change']],
  [
    'Please call John Smith about Project Phoenix before Christmas.',
    ['person John Smith', 'project Project Phoenix', 'event Christmas'],
  ],
  ['Angela Merkel met Angela Merkel. ANGELA MERKEL left.', ['person Angela Merkel']],
  ['nothing to see here, on a Monday in March', []],
  ['', []],
]

test.each(texts)('%s', async (text, entities) => {
  const found = await extractEntities(text)

  expect(found.map(({ type, name }) => `${type} ${name}`)).toEqual(entities)
})

test.each([
  ['Der Hund schläft im Garten', []],
  ['Das Passwort für das WLAN steht auf dem Zettel', []],
  ['Guten Morgen! Kannst du mir bei der Steuererklärung helfen?', []],
  ['Meine Schwester Anna hat am Freitag Geburtstag', []],
  ['Die Besprechung mit Herrn Müller ist am Montag in Berlin', ['Berlin: place']],
  ['Ich wohne in Köln und arbeite bei Siemens als Ingenieur', ['Siemens: organization']],
  ['Wir fahren im Sommer mit dem Zug nach Wien', []],
  ['Der Hund schläft im Garten. Die Katze mag Milch.', []],
  ['Le chat dort dans le jardin', []],
  ["J'habite à Lyon et je travaille chez Renault", ['Lyon: place']],
  ['La réunion avec Monsieur Dupont est lundi à Paris', ['Paris: place']],
  ['El perro duerme en el jardín', []],
  ['La reunión con el señor García es el lunes en Barcelona', ['Barcelona: place']],
])('in other languages a noun is no name: %s', async (text, expected) => {
  expect((await extractEntities(text)).map(({ name, type }) => `${name}: ${type}`)).toEqual(expected)
})

test('numbered things are not products', async () => {
  expect(await extractEntities('Note 117: meet in Room 12 at Gate 4, see Chapter 3')).toEqual([])
  expect(await extractEntities('She bought a Pixel 9')).toEqual([{ name: 'Pixel 9', type: 'product' }])
})
