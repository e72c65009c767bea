import { expect, test } from 'vitest'
import * as recordings from '../../../handlers/browser/recordings.ts'
import * as screenRecordings from '../../../handlers/browser/screen-recordings.ts'
import { localContext } from '../../../runtime/auth/local.ts'
import { holderOf } from '../../../runtime/browser/holder.ts'
import type { ScreenRecording } from '../../../runtime/browser/recordings/schema.ts'
import { listScreenRecordings } from '../../../runtime/browser/recordings/screen-recording.ts'
import { launchChromium } from '../../support/browser.ts'
import { call } from '../../support/call.ts'
import { adminCaller, testHost } from '../../support/host.ts'
import { openBrowser, servePages } from '../../support/open-browser.ts'

/** The browser as the caller of these tests has it, and the host. */
async function browserOfTest() {
  const opened = await openBrowser()
  const host = await testHost({ browser: opened })
  return { browser: opened.as(holderOf({ caller: adminCaller })), host }
}

const json = async <Value>(response: Promise<Response>) => (await (await response).json()) as Value

/** What a player says of a film: its length, its size, and the colour in its middle near its end. */
async function played(bytes: Uint8Array, type: string) {
  const chromium = await launchChromium()
  try {
    const page = await chromium.newPage()
    return await page.evaluate(
      async ([base64, type]) => {
        const video = document.createElement('video')
        video.muted = true
        video.src = `data:${type};base64,${base64}`
        await new Promise((resolve, reject) => Object.assign(video, { onloadeddata: resolve, onerror: reject }))
        const { duration, videoWidth: width, videoHeight: height } = video
        video.currentTime = Math.max(0, duration - 0.2)
        await new Promise((resolve) => Object.assign(video, { onseeked: resolve }))
        const canvas = document.createElement('canvas')
        Object.assign(canvas, { width, height })
        const context = canvas.getContext('2d')
        context?.drawImage(video, 0, 0)
        const [red = 0, green = 0, blue = 0] = context?.getImageData(width / 2, height / 2, 1, 1).data ?? []
        return { duration, width, height, red, green, blue }
      },
      [Buffer.from(bytes).toString('base64'), type] as const,
    )
  } finally {
    await chromium.close()
  }
}

const page =
  '<title>Film</title><body style="background: rgb(0, 0, 255)"><button onclick="document.body.style.background = \'rgb(255, 0, 0)\'">Red</button>'

test('a recording is a webm of the right length, even of a static page, and its studio is not a tab', async () => {
  const url = await servePages({ '/': page })
  const browser = await openBrowser()
  await browser.act({ action: 'goto', url })
  await browser.startVideo({ max_seconds: 3 })
  expect(await browser.tabs()).toHaveLength(1)
  await browser.act({ action: 'click', selector: 'text=Red' })
  await browser.act({ action: 'wait_for_selector', selector: '#never', timeout_ms: 5_000 }).catch(() => null)
  const video = await browser.stopVideo()
  expect(video?.format).toBe('webm')
  const told = await played(video?.bytes ?? new Uint8Array(), 'video/webm')
  expect(told).toMatchObject({ width: 1280, height: 720 })
  expect(Math.abs(told.duration - (video?.duration_seconds ?? 0))).toBeLessThan(0.5)
  expect(video?.duration_seconds).toBeLessThan(4)
  expect(told.red).toBeGreaterThan(150)
  expect(told.blue).toBeLessThan(100)
})

test('a recording that is stopped at once shows the page as it is', async () => {
  const url = await servePages({ '/': page })
  const browser = await openBrowser()
  await browser.act({ action: 'goto', url })
  await browser.startVideo({ max_seconds: 3 })
  const video = await browser.stopVideo()
  const told = await played(video?.bytes ?? new Uint8Array(), 'video/webm')
  expect(told).toMatchObject({ width: 1280, height: 720 })
  expect(told.blue).toBeGreaterThan(150)
})

test('a recording stopped while it starts has started and ended', async () => {
  const { browser, host } = await browserOfTest()
  await browser.openTab({})
  const starting = json<ScreenRecording>(
    call(screenRecordings.startOrStop, host, { body: { action: 'start', max_seconds: 60 } }),
  )
  const stopping = json<ScreenRecording>(call(screenRecordings.startOrStop, host, { body: { action: 'stop' } }))
  const [started, stopped] = await Promise.all([starting, stopping])
  expect(stopped).toMatchObject({ recording_id: started.recording_id, status: 'completed' })
  expect(await listScreenRecordings(localContext(host), 10)).toMatchObject([{ status: 'completed' }])
})

test('screen recordings start and stop over HTTP; the replay of a recording can be recorded', async () => {
  const url = await servePages({ '/': page })
  const { browser, host } = await browserOfTest()
  expect((await call(screenRecordings.startOrStop, host, { body: { action: 'stop' } })).status).toBe(409)
  const started = await json<ScreenRecording>(
    call(screenRecordings.startOrStop, host, { body: { action: 'start', max_seconds: 60 } }),
  )
  expect(started).toMatchObject({ status: 'recording', file_path: null, duration_seconds: null })
  expect((await call(screenRecordings.startOrStop, host, { body: { action: 'start' } })).status).toBe(409)
  const { recording_id } = await json<{ recording_id: string }>(call(recordings.start, host, { body: { name: 'Red' } }))
  await browser.act({ action: 'goto', url })
  await browser.act({ action: 'click', selector: 'text=Red' })
  await call(recordings.stop, host)
  const stopped = await json<ScreenRecording>(call(screenRecordings.startOrStop, host, { body: { action: 'stop' } }))
  expect(stopped).toMatchObject({ recording_id: started.recording_id, status: 'completed', format: 'webm' })
  const body = { speed: 0, wait_seconds: 60 }
  const filmed = await json<ScreenRecording>(
    call(screenRecordings.fromReplay, host, { params: { recording_id }, body }),
  )
  expect(filmed).toMatchObject({ status: 'completed', file_path: `videos/${filmed.recording_id}.webm` })
  const content = await call(screenRecordings.content, host, { params: { id: filmed.recording_id } })
  expect(content.headers.get('content-type')).toBe('video/webm')
  const bytes = new Uint8Array(await content.arrayBuffer())
  expect(bytes.length).toBe(filmed.size_bytes)
  expect([...bytes.slice(0, 4)]).toEqual([0x1a, 0x45, 0xdf, 0xa3])
})

test('a recording is mp4 if Chromium supports it, and otherwise reports that it is not', async () => {
  const url = await servePages({ '/': page })
  const { browser, host } = await browserOfTest()
  await browser.act({ action: 'goto', url })
  const can = await browser.evaluate(
    `['video/mp4;codecs=avc1', 'video/mp4'].some((type) => MediaRecorder.isTypeSupported(type))`,
  )
  await call(screenRecordings.startOrStop, host, {
    body: { action: 'start', max_seconds: 30, format: 'mp4' },
  })
  await browser.act({ action: 'click', selector: 'text=Red' })
  await browser.act({ action: 'wait_for_selector', selector: '#never', timeout_ms: 1_500 }).catch(() => null)
  const made = await json<ScreenRecording>(call(screenRecordings.startOrStop, host, { body: { action: 'stop' } }))
  expect(made.format).toBe(can ? 'mp4' : 'webm')
  expect(made.error).toBe(can ? null : 'This Chromium cannot make mp4; the film is webm')
  const content = await call(screenRecordings.content, host, { params: { id: made.recording_id } })
  expect(content.headers.get('content-type')).toBe(`video/${made.format}`)
  const told = await played(new Uint8Array(await content.arrayBuffer()), `video/${made.format}`)
  expect(told).toMatchObject({ width: 1280, height: 720 })
  expect(told.red).toBeGreaterThan(150)
})
