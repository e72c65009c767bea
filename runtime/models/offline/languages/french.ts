import type { Language } from './language.ts'

export const french: Language = {
  code: 'fr',
  name: 'French',
  words:
    "résume lis je tu il elle nous vous moi toi et ou est sont suis es le les la un une des du mon ma mes ton ta votre que qui quoi quel quelle quels où quand pourquoi comment avec pour dans sur s'il plaît plait peux peut pouvez fais faire aujourd'hui demain hier aussi très bien météo écris raconte traduis explique poème c'est j'aime qu'est",
  phrases: [
    ['remind', /^rappelle[sz]?[- ]moi,? (?<rest>.+)$/iu],
    ['greet', /^(?:bonjour|bonsoir|salut|coucou|allô)(?: à tous| toi)?$/iu],
    ['thanks', /^merci(?: (?:beaucoup|bien|à toi))?$/iu],
    [
      'help',
      /^(?:(?:parles-tu|parlez-vous|tu parles) (?:le )?français|aide|aide-moi|aidez-moi|à l'aide|que (?:peux-tu|sais-tu|pouvez-vous) faire|qu'est-ce que tu (?:peux|sais) faire|tu peux faire quoi)$/iu,
    ],
    [
      'time',
      /^(?:quelle heure est[- ]il|il est quelle heure|quelle est l'heure|l'heure)(?: (?:maintenant|actuellement))?(?: (?:à|au|en) (?<place>.+))?$/iu,
    ],
    [
      'date',
      /^(?:quel jour (?:sommes-nous|est-on|on est)|quelle (?:est la date|date (?:sommes-nous|est-on)))(?: aujourd'hui)?$/iu,
    ],
    ['recall', /^(?<query>comment (?:je m'appelle|est-ce que je m'appelle)|quel est mon nom|qui suis-je)$/iu],
    [
      'recall',
      /^(?:que sais-tu (?:de|sur|à propos de)|qu'est-ce que tu sais (?:de|sur)|te souviens-tu (?:de|du)|tu te souviens (?:de|du)|que t'ai-je dit (?:de|sur)) (?<query>.+)$/iu,
    ],
    [
      'recall',
      /^(?<query>(?:que|quoi|qui|où|quand|quel\p{L}*|comment|est-ce que j).*(?:\b(?:mon|ma|mes|je|moi)\b|j').*)$/iu,
    ],
    [
      'remember',
      /^(?:souviens-toi|souvenez-vous|rappelle-toi|retiens|n'oublie pas|mémorise|note|enregistre)[,:]?\s+(?:bien\s+)?(?:que\s+|qu')?(?<content>.+)$/iu,
    ],
    ['name', /^(?:je m'appelle|mon nom est|appelle-moi) (?<name>\p{L}[\p{L} '-]*)$/iu],
    [
      'remember',
      /^(?<content>(?:j'aime|j'adore|je déteste|j'habite|je vis|je travaille|je préfère|je parle|mon \p{L}+ est|ma \p{L}+ est) .+)$/iu,
    ],
  ],
  reminders: {
    lead: /^(?:de |d['’]|que |qu['’])/iu,
    ask: "De quoi dois-je vous faire souvenir, et quand ? Par exemple : « Rappelle-moi demain à 17h d'appeler Ada ».",
    set: (task, moment) => `Le rappel est noté : ${task}, ${moment}.`,
  },
  say: {
    notice:
      "Je suis le modèle hors ligne intégré : je suis des règles fixes et j'utilise des outils, mais je n'ai aucune connaissance du monde.",
    hello: 'Bonjour ! Que puis-je faire ?',
    welcome: 'De rien.',
    help: 'En français, je sais : retenir (« Souviens-toi que j\'aime le thé »), me souvenir (« Que sais-tu sur le thé ? »), donner l\'heure, calculer et résumer une page web. En anglais, je sais en faire plus ("help").',
    limit:
      'Je ne comprends pas cela en français : je ne connais que quelques phrases (dites « aide »). Pour le reste, ajoutez un modèle dans Settings → Providers, avec une clé ou un Ollama local.',
    saved: (content) => `C'est noté : ${content}.`,
    met: (name) => `Enchanté, ${name}. Je retiens votre nom.`,
    found: "Voici ce que j'ai retenu :",
    nothing: "Je n'ai rien retenu à ce sujet.",
    time: (time, date, zone) => `Il est ${time}, ${date} (${zone}).`,
    date: (date, zone) => `Nous sommes le ${date} (${zone}).`,
    noPlace: (place) => `Je ne connais pas le fuseau horaire de « ${place} ».`,
    page: (title) => `${title} dit, dans ses propres phrases :`,
    lacks: (tool) => `C'est impossible dans cette conversation : l'outil ${tool} n'est pas disponible.`,
    refused: "Vous ne l'avez pas autorisé, je ne l'ai donc pas fait.",
    failed: (reason) => `Cela a échoué : ${reason}`,
  },
}
