import { expect, test } from 'vitest'
import { type Phrase, readShort } from './kit.ts'

test.each<Phrase>([
  ['jeden Werktag um 9', '0 9 * * 1-5', '2026-01-06T08:00'],
  ['in 20 Minuten', 'at 2026-01-05T12:20:00.000Z', '2026-01-05T12:20'],
  ['jeden zweiten Dienstag um 10 Uhr', 'every 1209600 from 2026-01-06T10:00', '2026-01-06T09:00'],
  ['alle 2 Stunden zwischen 9 und 17 Uhr', '0 9-17/2 * * *', '2026-01-05T14:00'],
  ['am ersten Montag im Monat um 12 Uhr', '0 12 * * 1#1', '2026-02-02T11:00'],
  ['täglich um halb neun', '30 8 * * *', '2026-01-06T07:30'],
  ['morgen um 17 Uhr', 'at 2026-01-06T16:00:00.000Z', '2026-01-06T16:00'],
  ['zweimal täglich', '0 9,21 * * *', '2026-01-05T20:00'],
  ['jeden Montag um 9 Uhr 30', '30 9 * * 1', '2026-01-12T08:30'],
  ['montags und mittwochs um 18 Uhr', '0 18 * * 1,3', '2026-01-05T17:00'],
  ['alle 15 Minuten', 'every 900', '2026-01-05T12:15'],
  ['jede Stunde', 'every 3600', '2026-01-05T13:00'],
  ['wochentags um 8', '0 8 * * 1-5', '2026-01-06T07:00'],
  ['am Wochenende um 10', '0 10 * * 0,6', '2026-01-10T09:00'],
  ['jeden Tag um Mitternacht', '0 0 * * *', '2026-01-05T23:00'],
  ['in einer Stunde', 'at 2026-01-05T13:00:00.000Z', '2026-01-05T13:00'],
  ['übermorgen um 8', 'at 2026-01-07T07:00:00.000Z', '2026-01-07T07:00'],
  ['am 1. und 15. des Monats um 9', '0 9 1,15 * *', '2026-01-15T08:00'],
  ['am letzten Tag des Monats um 18 Uhr', '0 18 L * *', '2026-01-31T17:00'],
  ['jeden Morgen um 7', '0 7 * * *', '2026-01-06T06:00'],
  ['nächsten Freitag um 17 Uhr', 'at 2026-01-16T16:00:00.000Z', '2026-01-16T16:00'],
  ['heute abend um 8', 'at 2026-01-05T19:00:00.000Z', '2026-01-05T19:00'],
  ['jeden 1. des Monats um 9', '0 9 1 * *', '2026-02-01T08:00'],
  ['in einer halben Stunde', 'at 2026-01-05T12:30:00.000Z', '2026-01-05T12:30'],
])('German: %s', async (words, schedule, next) => {
  expect(await readShort(words)).toEqual([schedule, next])
})

test.each<Phrase>([
  ['tous les jours à 8h', '0 8 * * *', '2026-01-06T07:00'],
  ['tous les lundis à 9h30', '30 9 * * 1', '2026-01-12T08:30'],
  ['dans 20 minutes', 'at 2026-01-05T12:20:00.000Z', '2026-01-05T12:20'],
  ['demain à 17h', 'at 2026-01-06T16:00:00.000Z', '2026-01-06T16:00'],
  ['toutes les 2 heures entre 9h et 17h', '0 9-17/2 * * *', '2026-01-05T14:00'],
  ['le premier lundi du mois à midi', '0 12 * * 1#1', '2026-02-02T11:00'],
  ['un mardi sur deux à 10h', 'every 1209600 from 2026-01-06T10:00', '2026-01-06T09:00'],
  ['chaque lundi à 9h', '0 9 * * 1', '2026-01-12T08:00'],
  ['en semaine à 8h30', '30 8 * * 1-5', '2026-01-06T07:30'],
  ['toutes les 15 minutes', 'every 900', '2026-01-05T12:15'],
  ['toutes les heures', 'every 3600', '2026-01-05T13:00'],
  ['le dernier jour du mois à 18h', '0 18 L * *', '2026-01-31T17:00'],
  ['tous les jours à midi', '0 12 * * *', '2026-01-06T11:00'],
  ['dans une heure', 'at 2026-01-05T13:00:00.000Z', '2026-01-05T13:00'],
  ['après-demain à 10h', 'at 2026-01-07T09:00:00.000Z', '2026-01-07T09:00'],
  ['du lundi au vendredi à 9h', '0 9 * * 1-5', '2026-01-06T08:00'],
  ['vendredi prochain à 17h', 'at 2026-01-16T16:00:00.000Z', '2026-01-16T16:00'],
  ['deux fois par jour', '0 9,21 * * *', '2026-01-05T20:00'],
])('French: %s', async (words, schedule, next) => {
  expect(await readShort(words)).toEqual([schedule, next])
})

test.each<Phrase>([
  ['cada lunes a las 9', '0 9 * * 1', '2026-01-12T08:00'],
  ['todos los días a las 8', '0 8 * * *', '2026-01-06T07:00'],
  ['en 20 minutos', 'at 2026-01-05T12:20:00.000Z', '2026-01-05T12:20'],
  ['mañana a las 17', 'at 2026-01-06T16:00:00.000Z', '2026-01-06T16:00'],
  ['el primer lunes del mes a mediodía', '0 12 * * 1#1', '2026-02-02T11:00'],
  ['cada 2 horas entre las 9 y las 17', '0 9-17/2 * * *', '2026-01-05T14:00'],
  ['dos veces al día', '0 9,21 * * *', '2026-01-05T20:00'],
  ['cada día a las 8', '0 8 * * *', '2026-01-06T07:00'],
  ['todos los lunes a las 9', '0 9 * * 1', '2026-01-12T08:00'],
  ['de lunes a viernes a las 9', '0 9 * * 1-5', '2026-01-06T08:00'],
  ['cada 15 minutos', 'every 900', '2026-01-05T12:15'],
  ['cada hora', 'every 3600', '2026-01-05T13:00'],
  ['dentro de 2 horas', 'at 2026-01-05T14:00:00.000Z', '2026-01-05T14:00'],
  ['pasado mañana a las 10', 'at 2026-01-07T09:00:00.000Z', '2026-01-07T09:00'],
  ['el último día del mes a las 18', '0 18 L * *', '2026-01-31T17:00'],
  ['los lunes y miércoles a las 7', '0 7 * * 1,3', '2026-01-07T06:00'],
  ['entre semana a las 8:30', '30 8 * * 1-5', '2026-01-06T07:30'],
  ['fines de semana a las 10', '0 10 * * 0,6', '2026-01-10T09:00'],
  ['cada dos horas', 'every 7200', '2026-01-05T14:00'],
  ['cada martes a las 9 de la noche', '0 21 * * 2', '2026-01-06T20:00'],
])('Spanish: %s', async (words, schedule, next) => {
  expect(await readShort(words)).toEqual([schedule, next])
})
