import type { Language } from './language.ts'

export const portuguese: Language = {
  code: 'pt',
  name: 'Portuguese',
  words:
    'resume resuma lê eu tu você ele ela nós meu minha meus teu seu e ou é são sou os as um uma do da dos que quem qual quando onde porquê como com para em no na sobre pode podes consegue fazer hoje amanhã ontem também muito bem tempo escreve conta traduz explica poema está faz favor quero gosto não me diga o',
  phrases: [
    ['greet', /^(?:olá|oi|bom dia|boa (?:tarde|noite)|e aí)(?: a todos| pessoal)?$/iu],
    ['thanks', /^(?:muito )?obrigad[oa](?: por tudo)?$/iu],
    [
      'help',
      /^(?:(?:você )?falas? português|ajuda|ajude-me|me ajude|ajuda-me|o que (?:você )?(?:pode|podes|sabe|sabes|consegue) fazer|como (?:você )?(?:pode|podes) (?:me )?ajudar)$/iu,
    ],
    [
      'time',
      /^(?:que horas são|que hora é|diga as horas|as horas)(?: agora)?(?: (?:em|no|na) (?<place>.+))?$/iu,
    ],
    ['date', /^(?:que dia é(?: hoje)?|qual é a data(?: de hoje)?|que data é(?: hoje)?)$/iu],
    ['recall', /^(?<query>como (?:é que )?(?:eu )?me chamo|qual é o meu nome|quem sou eu)$/iu],
    [
      'recall',
      /^(?:o que (?:é que )?(?:você )?(?:sabe|sabes|lembra|lembras) (?:de|sobre|do|da)|(?:você )?(?:se )?lembra(?:s-te)? (?:de|do|da)) (?<query>.+)$/iu,
    ],
    ['recall', /^(?<query>(?:o que|que|quem|onde|quando|qual|como) .*\b(?:meu|minha|meus|minhas|eu)\b.*)$/iu],
    [
      'remember',
      /^(?:por favor,? )?(?:lembra-te|lembre-se|lembre|lembra|não (?:se )?esque[çc]as?|anota|anote|guarda|guarde|memoriza|memorize)[,:]?\s+(?:de\s+)?(?:que\s+)?(?<content>.+)$/iu,
    ],
    ['name', /^(?:(?:eu )?me chamo|chamo-me|o meu nome é|meu nome é) (?<name>\p{L}[\p{L} '-]*)$/iu],
    [
      'remember',
      /^(?<content>(?:eu )?(?:gosto|adoro|odeio|moro|vivo|trabalho|prefiro|falo) .+|(?:o meu|a minha|meu|minha) \p{L}+ é .+)$/iu,
    ],
  ],
  say: {
    notice:
      'Sou o modelo offline integrado: sigo regras fixas e uso ferramentas, mas não tenho conhecimento do mundo.',
    hello: 'Olá! O que posso fazer?',
    welcome: 'De nada.',
    help: 'Em português consigo: guardar na memória ("Lembra-te que gosto de chá"), procurar nela ("O que sabes sobre chá?"), dizer as horas, calcular e resumir páginas web. Em inglês consigo mais ("help").',
    limit:
      'Isso não entendo em português: só conheço poucas frases (diz "ajuda"). Para o resto, adiciona um modelo em Settings → Providers, com uma chave ou um Ollama local.',
    saved: (content) => `Anotado: ${content}.`,
    met: (name) => `Prazer, ${name}. Vou lembrar-me do teu nome.`,
    found: 'Isto é o que guardei:',
    nothing: 'Não tenho nada guardado sobre isso.',
    time: (time, date, zone) => `São ${time}, ${date} (${zone}).`,
    date: (date, zone) => `Hoje é ${date} (${zone}).`,
    noPlace: (place) => `Não conheço o fuso horário de "${place}".`,
    page: (title) => `${title} diz, nas suas próprias frases:`,
    lacks: (tool) => `Nesta conversa não é possível: a ferramenta ${tool} não está disponível.`,
    refused: 'Não foi aprovado, por isso não o fiz.',
    failed: (reason) => `Não funcionou: ${reason}`,
  },
}
