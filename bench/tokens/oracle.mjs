// Answer a request on stdin with what two public vocabularies hold, or with how many tokens texts are in them.
import fs from "fs";
import { Tiktoken } from "js-tiktoken/lite";
import cl100k_base from "js-tiktoken/ranks/cl100k_base";
import o200k_base from "js-tiktoken/ranks/o200k_base";

const ranks = { o200k_base, cl100k_base };

function vocabulary(rank) {
  const lines = rank.bpe_ranks.split("\n").map((line) => line.split(" ").slice(2));
  return lines.flat().map((token) => Buffer.from(token, "base64").toString("utf8"));
}

function counts(rank, texts) {
  const encoder = new Tiktoken(rank);
  return texts.map((text) => encoder.encode(text, [], []).length);
}

const texts = JSON.parse(fs.readFileSync(0, "utf8"));
const answer = {};
for (const [name, rank] of Object.entries(ranks)) answer[name] = texts ? counts(rank, texts) : vocabulary(rank);
fs.writeFileSync(1, JSON.stringify(answer));
