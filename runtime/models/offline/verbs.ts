/** Verbs that start a task: "and" between two of them separates tasks, "salt and pepper" stays whole. */
export const VERBS = new Set(
  `add agree analyse analyze announce answer apply approve arrange ask assemble assign back bake begin book borrow brief
  bring build buy calculate call cancel celebrate change charge check choose clean clear close collect compare complete confirm
  connect contact convert cook copy create cut debug decide decorate define delete deliver deploy describe design develop discuss
  document download draft draw drive edit email enable estimate enjoy evaluate explain export extract fetch file fill find
  finish fix fly follow format gather generate get give go hire identify implement import improve inform
  install interview invite join keep launch learn list load look make map measure meet merge migrate monitor move name
  negotiate notify open order organise organize outline pack paint pay phone pick plan plant post practise prepare present
  print prototype publish purchase read record refactor register release remove rename rent repair replace report request
  research reserve review rewrite run save schedule search select sell send set share ship show sign sketch solve sort
  source start store study submit summarise summarize take talk teach tell test tidy track train translate try turn unpack
  update upgrade upload use validate verify visit walk wash watch weigh write`.split(/\s+/),
)
