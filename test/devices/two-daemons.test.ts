import { expect, test } from 'vitest'
import * as commands from '../../handlers/devices/commands.ts'
import * as devices from '../../handlers/devices/devices.ts'
import { call } from '../support/call.ts'
import { passing, twoHosts } from '../support/two-hosts.ts'
import { approved, connect, quiet, sent } from './kit.ts'

/** A device that is connected to the first of two daemons. */
async function connected() {
  const { first, second } = await twoHosts()
  const { device_id, device_token } = await approved(first)
  const socket = await connect(first, device_token)
  await quiet(first)
  const settle = async () => {
    await passing([first, second], 500)
    await quiet(first)
  }
  await settle()
  return { first, second, device_id, device_token, socket, settle }
}

test('a device gets and stops what another daemon than its own was asked for', async () => {
  const { second, device_id, socket, settle } = await connected()
  const { id } = await sent(second, device_id, { command: 'notify', params: { title: 'Tea' } })
  await settle()
  expect(socket.of('command')).toMatchObject([{ id }])

  await call(commands.cancel, second, { params: { id: device_id, command_id: id } })
  await settle()
  expect(socket.of('cancel')).toMatchObject([{ id }])
})

test('what another daemon allows a device applies at once', async () => {
  const { second, device_id, socket, settle } = await connected()
  await call(devices.update, second, { params: { id: device_id }, body: { allowed_commands: ['notify'] } })
  await settle()
  expect(socket.of('allowed').at(-1)).toMatchObject({ allowed_commands: ['notify'] })
})

test('a device that another daemon revokes, or that connects there, is disconnected', async () => {
  const revoked = await connected()
  await call(devices.remove, revoked.second, { params: { id: revoked.device_id } })
  await revoked.settle()
  expect(revoked.socket.closed).toBe(4401)

  const moved = await connected()
  await connect(moved.second, moved.device_token)
  await quiet(moved.second)
  await moved.settle()
  expect(moved.socket.closed).toBe(4409)
})
