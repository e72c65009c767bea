import { homedir } from 'node:os'
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import type { LogLevel } from '../../runtime/ports/log.ts'
import { isTimeZone } from '../../runtime/time.ts'

/** How a variable's text becomes its value; throws what the value must be. */
export type Read<Value> = (text: string) => Value

const must = (what: string): never => {
  throw new Error(`must be ${what}`)
}

export const text: Read<string> = (value) => value.trim()
export const optionalText: Read<string | undefined> = (value) => value.trim() || undefined

export const flag: Read<boolean> = (value) => {
  if (/^(true|1|yes|on)$/i.test(value.trim())) return true
  return /^(false|0|no|off|)$/i.test(value.trim()) ? false : must('true or false')
}

export const wholeNumber =
  (least: number, most: number): Read<number> =>
  (value) => {
    const number = /^\d{1,15}$/.test(value.trim()) ? Number(value) : Number.NaN
    return number >= least && number <= most ? number : must(`a whole number from ${least} to ${most}`)
  }

export const list: Read<string[]> = (value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

export const origins: Read<string[]> = (value) =>
  list(value).map((item) => {
    const url = URL.parse(item)
    const whole = url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href
    return whole ? url.origin : must('origins such as https://ui.example.com, separated by commas')
  })

export const hosts: Read<string[]> = (value) =>
  list(value).map((item) => {
    const ok = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.test(item)
    return ok ? item.toLowerCase() : must('names such as hearth.lan or hearth.lan:443, separated by commas')
  })

export const networks: Read<string[]> = (value) =>
  list(value).map((item) => {
    const ok = item.includes('/') ? ipaddr.isValidCIDR(item) : ipaddr.isValid(item)
    return ok ? item : must('addresses or networks such as 10.0.0.0/8, separated by commas')
  })

export const folder: Read<string> = (value) => {
  const given = value.trim()
  if (given === '') return must('a folder')
  return resolve(given === '~' || given.startsWith('~/') ? given.replace('~', homedir()) : given)
}

export const databaseUrl: Read<string | undefined> = (value) => {
  const given = value.trim()
  if (given === '') return undefined
  const ok = /^(libsql|https?):$/.test(URL.parse(given)?.protocol ?? '')
  return ok ? given : must('a URL that begins with libsql://, https:// or http://')
}

export const logLevel: Read<LogLevel> = (value) => {
  const level = value.trim().toLowerCase()
  return /^(debug|info|warn|error)$/.test(level) ? (level as LogLevel) : must('debug, info, warn or error')
}

export const timeZone: Read<string> = (value) => {
  const zone = value.trim()
  return isTimeZone(zone) ? zone : must('an IANA time zone such as Europe/Berlin')
}
