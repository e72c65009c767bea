/** What a way needs besides its programs. `display`: X11 or Wayland. */
export type Need = 'wayland' | 'x11' | 'display' | 'camera' | 'microphone'

/** How a system does something with a program that people have. */
export interface Way {
  /** All must be installed; the first is run. */
  programs: readonly [string, ...string[]]
  /** `{name}` is a value of the call. Each is one argument, and nothing passes through a shell. */
  args: readonly string[]
  needs?: readonly Need[]
  /** Runs afterwards. */
  afterwards?: Way
}

export type Capability =
  | 'notify'
  | 'open_url'
  | 'clipboard.read'
  | 'clipboard.write'
  | 'screenshot'
  | 'camera'
  | 'microphone'

type System = 'darwin' | 'linux' | 'win32'

/** Values reach a script as variables such as `$env:HEARTHD_TITLE`, never as part of it. */
export const powershell = (script: string, ...more: string[]): Way => ({
  programs: ['powershell', ...more],
  args: ['-NoProfile', '-NonInteractive', '-Command', script],
})

/** A program with its arguments, which are separated by spaces. */
const run = (program: string, args = '', ...needs: Need[]): Way => ({
  programs: [program],
  args: args.split(' ').filter(Boolean),
  needs,
})

const then = (way: Way, afterwards: Way): Way => ({ ...way, afterwards })

/** The camera that programs use on Linux. */
export const firstCamera = '/dev/video0'

const lines = (...script: string[]): string[] => script.flatMap((line) => ['-e', line])

/** The first way whose programs are installed and whose needs are met is used. Photos are JPEG, recordings WAV. */
export const ways: Readonly<Record<Capability, Partial<Record<System, readonly Way[]>>>> = {
  notify: {
    darwin: [
      {
        programs: ['osascript'],
        // Without `--`, a title such as `-e` would make the body part of the script.
        args: [
          ...lines('on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run'),
          '--',
          '{title}',
          '{body}',
        ],
      },
    ],
    linux: [run('notify-send', '--app-name=hearthd -- {title} {body}', 'display')],
    win32: [
      powershell(`Add-Type -AssemblyName System.Windows.Forms, System.Drawing
        $icon = New-Object System.Windows.Forms.NotifyIcon
        $icon.Icon = [System.Drawing.SystemIcons]::Information; $icon.Visible = $true
        $icon.ShowBalloonTip(10000, $env:HEARTHD_TITLE, ($env:HEARTHD_BODY + ' '), 'Info'); Start-Sleep 5; $icon.Dispose()`),
    ],
  },
  open_url: {
    darwin: [run('open', '{url}')],
    linux: [run('xdg-open', '{url}', 'display')],
    win32: [run('rundll32', 'url.dll,FileProtocolHandler {url}')],
  },
  'clipboard.read': {
    darwin: [run('pbpaste')],
    linux: [
      run('wl-paste', '--no-newline', 'wayland'),
      run('xclip', '-selection clipboard -o', 'x11'),
      run('xsel', '--clipboard --output', 'x11'),
    ],
    win32: [powershell('[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw')],
  },
  'clipboard.write': {
    darwin: [run('pbcopy')],
    linux: [
      run('wl-copy', '', 'wayland'),
      run('xclip', '-selection clipboard', 'x11'),
      run('xsel', '--clipboard --input', 'x11'),
    ],
    win32: [powershell('[Console]::InputEncoding = [Text.Encoding]::UTF8; [Console]::In.ReadToEnd() | Set-Clipboard')],
  },
  screenshot: {
    darwin: [then(run('screencapture', '-x -t jpg {file}'), run('sips', '-Z 1600 {file}'))],
    linux: [
      run('grim', '-t jpeg -q 60 -s 0.6 {file}', 'wayland'),
      run('scrot', '--quality 60 --overwrite {file}', 'x11'),
      run('import', '-window root -resize 1600x> -quality 60 {file}', 'x11'),
      run('gnome-screenshot', '--file {file}', 'display'),
    ],
    win32: [
      powershell(`Add-Type -AssemblyName System.Windows.Forms, System.Drawing
        $area = [System.Windows.Forms.SystemInformation]::VirtualScreen
        $picture = New-Object System.Drawing.Bitmap $area.Width, $area.Height
        [System.Drawing.Graphics]::FromImage($picture).CopyFromScreen($area.Location, [System.Drawing.Point]::Empty, $area.Size)
        $scale = [Math]::Min(1, 1600 / $area.Width)
        $small = New-Object System.Drawing.Bitmap $picture, ([int]($area.Width * $scale)), ([int]($area.Height * $scale))
        $small.Save($env:HEARTHD_FILE, [System.Drawing.Imaging.ImageFormat]::Jpeg)`),
    ],
  },
  camera: {
    // The first pictures of many cameras are dark.
    darwin: [then(run('imagesnap', '-q -w 1 {file}'), run('sips', '-Z 1280 {file}'))],
    linux: [
      run(
        'ffmpeg',
        `-loglevel error -f v4l2 -i ${firstCamera} -ss 0.5 -frames:v 1 -vf scale=min(1280\\,iw):-2 -q:v 6 -y {file}`,
        'camera',
      ),
      run('fswebcam', '--no-banner --skip 10 --resolution 1280x720 --jpeg 75 {file}', 'camera'),
    ],
    win32: [
      powershell(
        `$name = (Get-CimInstance Win32_PnPEntity | Where-Object PNPClass -eq 'Camera' | Select-Object -First 1).Name
        if (!$name) { throw 'There is no camera' }
        ffmpeg -loglevel error -f dshow -i "video=$name" -ss 0.5 -frames:v 1 -vf 'scale=min(1280\\,iw):-2' -q:v 6 -y $env:HEARTHD_FILE
        if ($LASTEXITCODE) { exit $LASTEXITCODE }`,
        'ffmpeg',
      ),
    ],
  },
  microphone: {
    darwin: [
      run('rec', '-q -r 16000 -c 1 -b 16 {file} trim 0 {seconds}'),
      run('ffmpeg', '-loglevel error -f avfoundation -i :default -t {seconds} -ar 16000 -ac 1 -y {file}'),
    ],
    linux: [
      run('arecord', '-q -d {seconds} -f S16_LE -r 16000 -c 1 -t wav {file}', 'microphone'),
      run('ffmpeg', '-loglevel error -f alsa -i default -t {seconds} -ar 16000 -ac 1 -y {file}', 'microphone'),
    ],
    win32: [
      powershell(`$code = '[DllImport("winmm.dll", CharSet = CharSet.Unicode)] public static extern int mciSendString(string command, System.Text.StringBuilder answer, int size, System.IntPtr window);'
        $mci = Add-Type -MemberDefinition $code -Name Mci -Namespace Hearthd -PassThru
        function Send($command) { if ($mci::mciSendString($command, $null, 0, 0)) { throw "The microphone refused: $command" } }
        Send 'open new type waveaudio alias hearthd'
        Send 'set hearthd bitspersample 16 channels 1 samplespersec 16000 bytespersec 32000 alignment 2'
        Send 'record hearthd'; Start-Sleep $env:HEARTHD_SECONDS; Send 'stop hearthd'
        Send ('save hearthd "' + $env:HEARTHD_FILE + '"'); Send 'close hearthd'`),
    ],
  },
}
