/** Prices of cached tokens and context sizes that people set; cached tokens in the ledger. */
export const modelFacts = `
ALTER TABLE model_prices ADD COLUMN cached_usd_per_mtok REAL;
ALTER TABLE model_prices ADD COLUMN context_tokens INTEGER;
ALTER TABLE model_calls ADD COLUMN cached_tokens INTEGER NOT NULL DEFAULT 0;
`
