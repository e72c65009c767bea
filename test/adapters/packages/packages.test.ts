import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sweepPacks } from '../../../adapters/packages/folder.ts'
import { findNpm, installationOf } from '../../../adapters/packages/installation.ts'
import { closure, fits, type LockedPackage } from '../../../adapters/packages/lock.ts'
import { reasonOf, withoutSecrets } from '../../../adapters/packages/npm.ts'
import { actionFor } from '../../../adapters/packages/plan.ts'
import { PackageError } from '../../../runtime/ports/packages.ts'
import { testPackages } from '../../support/packages.ts'

/** The registry is real, and the machine may be busy. */
const { signal } = new AbortController()
const kmeans = { name: 'ml-kmeans', version: '7.0.1' }
const quiet = { signal, onProgress: () => undefined, onLog: () => undefined }

test('a plan shows what npm would do, with sizes, and changes nothing', async () => {
  const packages = testPackages()
  const plan = await packages.plan([kmeans], signal)

  expect(plan).toMatchObject({ downloads: [], skipped: [], blocked_reason: null, manual_command: null })
  expect(plan.packages).toContainEqual({
    ...kmeans,
    action: 'new',
    current_version: null,
    size_bytes: expect.any(Number),
  })
  expect(plan.packages.map(({ name }) => name)).toContain('ml-matrix')
  const sizes = plan.packages.map(({ size_bytes }) => size_bytes ?? 0)
  expect(plan.total_bytes).toBe(sizes.reduce((sum, size) => sum + size))
  expect(plan.command).toMatch(/^npm install --ignore-scripts .* ml-kmeans@7\.0\.1$/)
  expect(readdirSync(packages.data_dir)).toEqual([])
})

test('installed packages are upgraded by a plan with a newer version, and packs accumulate', async () => {
  const packages = testPackages()
  await packages.install([{ name: 'wrappy', version: '1.0.1' }], quiet)
  const { packages: planned } = await packages.plan([{ name: 'wrappy', version: '1.0.2' }], signal)
  expect(planned).toEqual([
    {
      name: 'wrappy',
      version: '1.0.2',
      action: 'upgrade',
      current_version: '1.0.1',
      size_bytes: expect.any(Number),
    },
  ])
  await packages.install([{ name: 'once', version: '1.4.0' }], quiet)
  expect(await packages.installed('wrappy')).toBe('1.0.1')
  expect(await packages.installed('once')).toBe('1.4.0')
  expect(await packages.import('once')).toHaveProperty('default')
  expect(readdirSync(packages.data_dir)).toEqual(['packs'])
})

test.each([
  ['a package that it needs is gone', (folder: string) => rmSync(join(folder, 'wrappy'), { recursive: true })],
  ['it cannot be loaded', (folder: string) => rmSync(join(folder, 'once', 'once.js'))],
])('what is there and works is left alone; once %s it is made anew', async (_, damage) => {
  const packages = testPackages()
  const once = { name: 'once', version: '1.4.0' }
  const modules = join(packages.data_dir, 'packs', 'node_modules')
  expect(await packages.install([once], quiet)).toEqual({ changed: true })
  const made = statSync(join(modules, 'once')).ino
  expect(await packages.plan([once], signal)).toMatchObject({
    packages: [],
    total_bytes: 0,
    blocked_reason: null,
  })
  expect(await packages.install([once], quiet)).toEqual({ changed: false })
  expect(statSync(join(modules, 'once')).ino).toBe(made)

  damage(modules)
  const { packages: planned } = await packages.plan([once], signal)
  expect(planned.map(({ name }) => name)).toEqual(['once', 'wrappy'])
  expect(planned[1]?.action).toBe(existsSync(join(modules, 'wrappy')) ? 'reinstall' : 'new')
  expect(await packages.install([once], quiet)).toEqual({ changed: true })
  expect(await packages.plan([once], signal)).toMatchObject({ packages: [] })
  expect(await packages.import('once')).toHaveProperty('default')
})

test('a package that does not exist leaves the installation unchanged', async () => {
  const packages = testPackages()
  await packages.install([{ name: 'wrappy', version: '1.0.2' }], quiet)
  const missing = [{ name: 'wrappy', version: '99.0.0' }]
  await expect(packages.install(missing, quiet)).rejects.toBeInstanceOf(PackageError)
  expect((await packages.plan(missing, signal)).blocked_reason).toMatch(/99\.0\.0/)
  expect(await packages.installed('wrappy')).toBe('1.0.2')
  expect(readdirSync(packages.data_dir)).toEqual(['packs'])
})

test('an aborted installation ends at once and leaves nothing', async () => {
  const packages = testPackages()
  const abort = new AbortController()
  const installing = packages.install([kmeans], {
    ...quiet,
    signal: abort.signal,
    onProgress: ({ phase }) => phase === 'downloading' && abort.abort(new Error('enough')),
  })
  await expect(installing).rejects.toThrow('enough')
  expect(readdirSync(packages.data_dir)).toEqual([])
  expect(await packages.installed('ml-kmeans')).toBe(null)
})

test('without npm a plan contains the manual command', async () => {
  const packages = testPackages(() => null)
  const plan = await packages.plan([kmeans], signal)
  expect(plan).toMatchObject({ packages: [], blocked_reason: 'npm was not found on this machine' })
  expect(plan.manual_command).toBe(plan.command)
  await expect(packages.install([kmeans], quiet)).rejects.toThrow('npm was not found')
  await expect(packages.import('ml-kmeans')).rejects.toThrow('not installed')
})

test('npm is found through the process that started us, next to Node, and on PATH', () => {
  expect(findNpm({ env: { PATH: '/nowhere/at/all' }, node: '/nowhere/at/all/node' })).toBe(null)
  const found = findNpm({ env: { PATH: process.env.PATH }, node: '/nowhere/at/all/node' })
  expect(found).toMatch(/npm-cli\.js$/)
  expect(findNpm({ env: { npm_execpath: found ?? '' }, node: '/nowhere/at/all/node' })).toBe(found)
  expect(findNpm({ env: { npm_execpath: '/usr/lib/pnpm.cjs' }, node: '/nowhere/at/all/node' })).toBe(null)
})

test('after a crash between the two renames the old packages are restored', async () => {
  const { data_dir } = testPackages()
  mkdirSync(join(data_dir, 'packs.old-1', 'node_modules'), { recursive: true })
  mkdirSync(join(data_dir, 'packs.new-1'))
  writeFileSync(join(data_dir, 'other'), '')
  await sweepPacks(data_dir)
  expect(readdirSync(data_dir).sort()).toEqual(['other', 'packs'])
  expect(existsSync(join(data_dir, 'packs', 'node_modules'))).toBe(true)
})

test('dependencies are resolved as Node would resolve them', () => {
  const lock = new Map<string, LockedPackage>([
    ['node_modules/a', { dependencies: { b: '2' } }],
    ['node_modules/a/node_modules/b', { optionalDependencies: { c: '1' } }],
    ['node_modules/b', {}],
    ['node_modules/c', { dependencies: { a: '1' } }],
    ['node_modules/d', {}],
  ])
  expect(closure(lock, ['a'])).toEqual(['node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/c'])
})

test.each([
  [{}, true],
  [{ os: ['linux'] }, true],
  [{ os: ['darwin', 'win32'] }, false],
  [{ os: ['!win32'] }, true],
  [{ os: ['!linux'] }, false],
  [{ cpu: ['x64'], libc: ['glibc'] }, true],
  [{ cpu: ['arm64'] }, false],
  [{ libc: ['musl'] }, false],
] as const)('a package for %j fits linux-x64: %s', (entry: object, expected) => {
  expect(fits(entry, { platform: 'linux', arch: 'x64', musl: false })).toBe(expected)
})

test.each([
  ['1.0.0', null, 'new'],
  ['1.10.0', '1.9.0', 'upgrade'],
  ['1.9.0', '1.10.0', 'downgrade'],
  ['2.0.0', '2.0.0-rc.1', 'upgrade'],
  ['2.0.0', '2.0.0', 'reinstall'],
] as const)('%s over %s is %s', (version, current, action) => {
  expect(actionFor(version, current)).toBe(action)
})

test.each([
  [
    [
      'code ECONNREFUSED',
      'syscall connect',
      'FetchError: request to http://127.0.0.1:9/once failed, reason: connect ECONNREFUSED 127.0.0.1:9',
      '    at ClientRequest.<anonymous> (/usr/lib/node_modules/npm/node_modules/minipass-fetch/lib/index.js:130:14)',
    ],
    "the package registry http://127.0.0.1:9 cannot be reached (ECONNREFUSED); check the connection, the proxy and the registry in npm's configuration",
  ],
  [
    ['code E404', '404 Not Found - GET https://registry.npmjs.org/nope', 'A complete log of this run'],
    '404 Not Found - GET https://registry.npmjs.org/nope',
  ],
  [[], 'npm ended with 1'],
])('what npm complains of is told in a sentence', (complaints, reason) => {
  expect(reasonOf(complaints, 1)).toBe(reason)
})

test('registry credentials are never shown', () => {
  expect(withoutSecrets('GET 401 https://ada:secret@npm.example/x')).toBe('GET 401 https://***@npm.example/x')
  expect(withoutSecrets('//npm.example/:_authToken=abc123')).toBe('//npm.example/:_authToken=***')
  expect(withoutSecrets('authorization: Bearer abc.def')).toBe('authorization: Bearer ***')
})

test.each([
  ['/home/ada/hearthd', 'editable', 'npm --prefix /home/ada/hearthd ci'],
  ['/usr/lib/node_modules/hearthd', 'system', 'npm install --global hearthd'],
  [join(import.meta.dirname, '../../..', 'node_modules/hearthd'), 'venv', expect.stringMatching(/^npm --prefix /)],
])('%s is an installation of the kind %s', (folder, kind, repair_command) => {
  expect(installationOf(folder, '/usr/bin/node')).toMatchObject({ kind, repair_command })
})
