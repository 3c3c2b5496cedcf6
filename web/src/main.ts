/** The web app grows here; for now the server serves its own small pages. */
export {};
