import type { Language } from './language.ts'

export const chinese: Language = {
  code: 'zh',
  name: 'Chinese',
  words: '',
  phrases: [
    ['greet', /^(?:你好|您好|嗨|早上好|下午好|晚上好|大家好)[啊呀吗]?$/u],
    ['thanks', /^(?:多?谢谢|谢谢你|感谢|非常感谢)(?:你|您|了)?$/u],
    ['help', /(?:帮助|帮帮我|你(?:能|会|可以)(?:做|干)(?:些)?什么|有什么功能)/u],
    ['time', /^(?:现在)?(?:(?<place>.+?)(?:现在)?(?:是|的时间是)?)?几点(?:了|钟)?(?:了)?$/u],
    ['date', /今天(?:是)?(?:几号|星期几|几月几号|什么日子)/u],
    ['recall', /^(?<query>我(?:叫什么(?:名字)?|的名字是什么|是谁))$/u],
    ['recall', /^(?:你)?(?:还)?(?:记得|知道)(?:关于)?(?<query>.+?)(?:的什么|什么|吗|的事)?$/u],
    ['recall', /^关于(?<query>.+?)你(?:记得|知道)(?:什么|些什么)?$/u],
    ['recall', /^(?<query>我.*(?:什么|哪里|哪儿|谁|几岁).*)$/u],
    [
      'remember',
      /^(?:请)?(?:帮我)?(?:你要)?(?:记住|记下|记一下|别忘了|不要忘记|保存)[，,：:]?\s*(?<content>.+)$/u,
    ],
    ['name', /^(?:我叫|我的名字(?:是|叫))(?<name>[\p{L}·]{1,20})$/u],
    ['remember', /^(?<content>我(?:喜欢|不喜欢|爱|讨厌|住在|在.+工作).+)$/u],
  ],
  say: {
    notice: '我是内置的离线模型：我按固定规则使用工具，没有关于世界的知识。',
    hello: '你好！需要我做什么？',
    welcome: '不客气。',
    help: '我用中文可以：记住（“记住我喜欢茶”）、回忆（“你记得关于茶的什么？”）、报时、计算、摘要网页。用英文可以做更多（"help"）。',
    limit:
      '这句中文我不懂：我只认识很少的说法（请说“帮助”）。其他事情请在 Settings → Providers 添加模型（密钥，或本地 Ollama）。',
    saved: (content) => `记住了：${content}`,
    met: (name) => `很高兴认识你，${name}。我记住你的名字了。`,
    found: '我记得：',
    nothing: '关于这个我没有记录。',
    time: (time, date, zone) => `现在是${date} ${time}（${zone}）。`,
    date: (date, zone) => `今天是${date}（${zone}）。`,
    noPlace: (place) => `我不知道“${place}”的时区。`,
    page: (title) => `${title} 的主要内容：`,
    lacks: (tool) => `这个对话里没有工具 ${tool}，所以做不到。`,
    refused: '你没有批准，所以我没有做。',
    failed: (reason) => `失败了：${reason}`,
  },
}
