export const troubleshoot = `---
name: troubleshoot
description: Finds out why something does not work, from a router or an appliance to software and accounts. Use when the person reports an error, a failure or odd behaviour.
---
# Troubleshoot

1. **The exact symptom.** What happens, what should happen, the literal error text, since when, always or sometimes.
2. **What changed?** Updates, moves, new devices, expired payments, weather. Most faults follow a change.
3. **Safety first.** Gas, mains voltage, smoke, water near electricity, signs of an account taken over: say what to switch
   off or lock now, and who to call. Then stop diagnosing.
4. **Halve the field.** Name the chain from source to symptom (power – router – cable – device – program). Choose the
   check that rules out the most for the least effort. One check per message, with what each outcome would mean.
5. **Look it up.** Search the error text in quotes and the exact model or version; prefer the maker and people who report
   that it worked.
6. **One change at a time,** the reversible ones first. Note the state before it. Undo what did not help.
7. **Confirm** that the symptom is gone under the conditions under which it came, and name the cause as far as it is shown.

After three checks without progress say what is ruled out, and offer the next best step or a summary for support: model,
version, symptom, what was tried. Offer to remember the cure.
`
